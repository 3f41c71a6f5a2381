import { describe, expect, test } from "vitest";
import { readDocsFiles } from "../../src/cli/build-docs.ts";

describe("readDocsFiles", () => {
  const files = readDocsFiles();
  const text = (name: string) => new TextDecoder().decode(files.get(name));

  test("gives the library, its licence and the lines that start it", () => {
    expect([...files.keys()].sort()).toEqual([
      "docs.js",
      "swagger-ui-bundle.js",
      "swagger-ui-bundle.js.LICENSE.txt",
      "swagger-ui.css",
    ]);
    for (const contents of files.values()) expect(contents.length).toBeGreaterThan(100);
  });

  test("asks no other server: no validator, no fonts, no files from elsewhere", () => {
    expect(text("docs.js")).toContain("validatorUrl: null");
    expect(text("docs.js")).not.toMatch(/https?:/);
    expect(text("swagger-ui.css")).not.toMatch(/@import|url\((?!['"]?data:)/);
  });
});
