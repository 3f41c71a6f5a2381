import { describe, expect, test } from "vitest";
import { createHarness } from "./harness.ts";

describe("GET /healthz", () => {
  test("names the model that a question gets, without a key and without asking an object or the database", async () => {
    const { request, runs, callers } = createHarness({ ANTHROPIC_API_KEY: "k" });
    const response = await request("/healthz");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "ok", model: "claude-sonnet-5-5" });
    expect(runs.size + callers.size).toBe(0);
  });

  test("is 503 while a setting is wrong", async () => {
    const { request } = createHarness({ QUERENT_MODEL: "nonesuch" });
    expect((await request("/healthz")).status).toBe(503);
  });
});
