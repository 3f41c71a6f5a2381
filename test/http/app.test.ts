import { describe, expect, test } from "vitest";
import { createHarness, readProblem } from "./harness.ts";

describe("the frame", () => {
  test("every answer, errors too, carries the security headers", async () => {
    const { request, post } = createHarness();
    const answers = [
      await request("/healthz"),
      await request("/nowhere"),
      await request("/v1/runs", { method: "DELETE" }),
      await post("/v1/runs", "{"),
      await post("/v1/runs", { question: "How many?" }),
    ];
    for (const response of answers) {
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(response.headers.get("referrer-policy")).toBe("no-referrer");
      expect(response.headers.get("cache-control")).not.toBeNull();
    }
  });

  test.each(["/nowhere", "/v2/runs", "/v1", "/v1/", "/healthz/x", "//v1/runs", "/v1/webhooks/"])(
    "%s is a 404 problem",
    async (path) => {
      const { request } = createHarness();
      const response = await request(`http://localhost${path}`);
      expect(response.status).toBe(404);
      const problem = await readProblem(response);
      expect(problem).toMatchObject({ code: "not_found", status: 404 });
      expect(problem.detail.startsWith("No address has a slash at its end or two in a row.")).toBe(
        /\/$|\/\//.test(path),
      );
    },
  );

  test.each([
    ["PUT", "/v1/runs", "POST, GET, HEAD"],
    ["DELETE", "/v1/runs/x", "GET, HEAD"],
    ["GET", "/v1/runs/x/cancel", "POST"],
    ["POST", "/v1/runs/x/events", "GET, HEAD"],
    ["POST", "/healthz", "GET, HEAD"],
    ["OPTIONS", "/v1/runs", "POST, GET, HEAD"],
    ["GET", "/v1/webhooks/x", "POST"],
  ])("%s %s is 405 and says what is allowed", async (method, path, allow) => {
    const { request } = createHarness();
    const response = await request(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe(allow);
    const problem = await readProblem(response);
    expect(problem.code).toBe("method_not_allowed");
    expect(problem.detail).toBe(`Use ${allow.replace(/, (?=\w+$)/, " or ")}.`);
  });

  test("without a key the method is not told: 401 comes first", async () => {
    const { request } = createHarness({});
    expect((await request("/v1/runs", { method: "PUT" })).status).toBe(401);
  });
});

describe("odd addresses", () => {
  test.each(["/v1/runs/%", "/v1/runs/%zz", "/v1/runs/%E0%A4%A/events", "/v1/webhooks/%", "/v1/runs/x/results/%ff"])(
    "%s is a 4xx problem, not a fault of ours",
    async (path) => {
      const { app, bindings, context } = createHarness();
      const method = path.startsWith("/v1/webhooks") ? "POST" : "GET";
      const response = await app.request(new Request(`http://localhost${path}`, { method }), {}, bindings, context);
      expect(response.status).toBe(404);
      expect((await readProblem(response)).code).toMatch(/_not_found$/);
    },
  );
});
