import { describe, expect, test } from "vitest";
import { readDocsFiles } from "../../src/cli/build-docs.ts";
import { createHarness } from "./harness.ts";

describe("GET /docs", () => {
  test("is served without a key, and while the settings are wrong", async () => {
    for (const settings of [{}, { QUERENT_LIMIT: "{}" }]) {
      const response = await createHarness(settings).request("/docs");
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toContain("text/html");
    }
  });

  test("loads what is built and nothing else, and its policy allows no other server", async () => {
    const response = await createHarness().request("/docs");
    const html = await response.text();
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? "");
    const built = [...readDocsFiles().keys(), "icon.svg"].map((name) => `/assets/${name}`);
    for (const url of loaded.filter((address) => address !== "/openapi.json")) expect(built).toContain(url);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/https?:|\*/);
  });
});
