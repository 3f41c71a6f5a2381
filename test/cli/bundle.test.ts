import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundleWorker } from "../../src/cli/bundle.ts";
import { temporaryFolder } from "./database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const write = (name: string, content: string) => {
  writeFileSync(join(folder.path, name), content);
  return join(folder.path, name);
};

describe("the bundle", () => {
  it("is one module that leaves the platform's own modules outside, with or without their prefix", async () => {
    const entry = write(
      "index.ts",
      'import { DurableObject } from "cloudflare:workers"; import { Buffer } from "node:buffer"; import util from "util"; import page from "./page.html"; import type { X } from "nowhere";\nexport const x: X = [DurableObject, Buffer, util, page];',
    );
    write("page.html", "<p>page</p>");
    const bundled = await bundleWorker(entry);
    if (!bundled.ok) throw new Error(bundled.error);
    const outside = [...bundled.value.code.matchAll(/from "([^"]+)"/g)].map((match) => match[1]);
    expect(outside.sort()).toEqual(["cloudflare:workers", "node:buffer", "node:util"]);
    expect(bundled.value.code).toContain("<p>page</p>");
    expect(bundled.value.durationMs).toBeGreaterThan(0);
  });

  it("takes the form of a package that is meant for workerd", async () => {
    const name = join(folder.path, "node_modules", "two-forms");
    mkdirSync(name, { recursive: true });
    write("node_modules/two-forms/package.json", '{"exports": {"workerd": "./w.js", "default": "./d.js"}}');
    write("node_modules/two-forms/w.js", 'export default "for workerd";');
    write("node_modules/two-forms/d.js", 'export default "for others";');
    const bundled = await bundleWorker(write("index.ts", 'import form from "two-forms"; console.log(form);'));
    expect(bundled.ok && bundled.value.code).toContain("for workerd");
  });

  it("that does not build is an error text that names file and line", async () => {
    expect(await bundleWorker(write("index.ts", "\nexport const x = ;"))).toEqual({
      ok: false,
      error: expect.stringMatching(/^The worker's sources do not build\.\n.*index\.ts:2: Unexpected/),
    });
    expect(await bundleWorker(join(folder.path, "gone.ts"))).toEqual({
      ok: false,
      error: expect.stringContaining("gone.ts"),
    });
  });
});
