import { describe, expect, test } from "vitest";
import { PAGE_PATHS } from "../../src/http/page.ts";
import { createHarness } from "./harness.ts";

describe("the page", () => {
  test("is the same document at each of its addresses, for everybody, and while the settings are wrong", async () => {
    const texts = new Set<string>();
    for (const settings of [undefined, { QUERENT_LIMIT: "{}" }]) {
      for (const path of PAGE_PATHS) {
        const response = await createHarness(settings).request(path.replace(":id", "run_any"));
        expect([path, response.status, response.headers.get("content-type")]).toEqual([
          path,
          200,
          "text/html; charset=UTF-8",
        ]);
        texts.add(await response.text());
      }
    }
    expect(texts.size).toBe(1);
  });

  test("its policy lets nothing in from elsewhere, no inline script, no frame, and no text become HTML", async () => {
    const response = await createHarness().request("/");
    const policy = response.headers.get("content-security-policy") ?? "";
    const rules = new Map(policy.split("; ").map((rule) => [rule.split(" ")[0], rule.split(" ").slice(1)] as const));
    expect(rules.get("default-src")).toEqual(["'none'"]);
    expect(rules.get("script-src")).toEqual(["'self'"]);
    expect(rules.get("style-src")).toEqual(["'self'", expect.stringMatching(/^'sha256-[\w+/]{43}='$/)]);
    expect(rules.get("frame-ancestors")).toEqual(["'none'"]);
    expect(rules.get("require-trusted-types-for")).toEqual(["'script'"]);
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("an address that is not the page's is a problem document, as everywhere", async () => {
    const response = await createHarness().request("/runs/a/b");
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
  });

  test("a browser at such an address gets the page, which says so, with 404; a client that takes anything does not", async () => {
    const harness = createHarness();
    const get = (accept: string) => harness.request("/nonsense", { headers: { accept } });
    const page = await get("text/html,application/xhtml+xml,*/*;q=0.8");
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=UTF-8"]);
    expect(page.headers.get("content-security-policy")).toMatch(/script-src 'self'/);
    expect(await page.text()).toBe(await (await harness.request("/")).text());
    for (const accept of ["*/*", "application/json"]) {
      const response = await get(accept);
      expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    }
  });
});
