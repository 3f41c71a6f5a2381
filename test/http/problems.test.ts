import { describe, expect, test } from "vitest";
import { PROBLEMS } from "../../src/http/problems.ts";
import { createHarness, readProblem } from "./harness.ts";

describe("problems", () => {
  test("an unexpected error is 500 with an id, and the log has where, not what", async () => {
    const { ask, runs, request, logs } = createHarness();
    const id = await ask();
    runs.get(id)!.view = () => Promise.reject(new TypeError("SELECT secret FROM t broke"));
    const response = await request(`/v1/runs/${id}`);
    expect(response.status).toBe(500);
    const problem = await readProblem(response);
    expect(problem).toMatchObject({
      code: "internal",
      instance: "urn:uuid:00000000-0000-4000-8000-000000000000",
    });
    expect(JSON.stringify(problem)).not.toContain("secret");
    const logged = logs.find((entry) => entry.event === "unexpected_error");
    expect(logged).toMatchObject({ level: "error", kind: "TypeError", id: "00000000-0000-4000-8000-000000000000" });
    expect(String(logged?.stack)).toContain("problems.test.ts");
    expect(JSON.stringify(logs)).not.toContain("secret");
  });

  test.each([{ retryable: true }, { overloaded: true }])(
    "a passing fault of the platform, %j, is 503",
    async (mark) => {
      const { ask, runs, request } = createHarness();
      const id = await ask();
      runs.get(id)!.view = () => Promise.reject(Object.assign(new Error("reset"), mark));
      const response = await request(`/v1/runs/${id}`);
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
      expect((await readProblem(response)).code).toBe("unavailable");
    },
  );

  test("wrong settings are 503: the reason is logged, and shown on the developer's own machine only", async () => {
    const deployed = createHarness({ QUERENT_LIMIT: "{}" });
    for (const path of ["/healthz", "/v1/runs", "/v1/webhooks/x"]) {
      const response = await deployed.request(path);
      expect(response.status).toBe(503);
      const problem = await readProblem(response);
      expect(problem.code).toBe("not_configured");
      expect(JSON.stringify(problem)).not.toContain("QUERENT_LIMIT");
    }
    expect(deployed.logs[0]).toMatchObject({ level: "error", event: "not_configured" });
    expect(String(deployed.logs[0]?.message)).toContain("QUERENT_LIMIT");
    const local = createHarness({ QUERENT_LIMIT: "{}", QUERENT_LOCAL: "1" });
    expect((await readProblem(await local.request("/healthz"))).detail).toContain("Did you mean QUERENT_LIMITS?");
  });

  test("every code has a title that is a plain sentence start, and a status that is an error", () => {
    for (const [code, { status, title }] of Object.entries(PROBLEMS)) {
      expect(code).toMatch(/^[a-z_]+$/);
      expect(title).toMatch(/^[A-Z].*[a-zA-Z]$/);
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });
});
