import { describe, expect, test } from "vitest";
import { CALLERS, createHarness, KEY, OTHER_KEY, readProblem, sha256 } from "./harness.ts";

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

describe("keys", () => {
  test("a key lets its caller in, and each caller sees its own runs only", async () => {
    const { post, request } = createHarness({ QUERENT_CALLERS: CALLERS });
    const asked = await post("/v1/runs", { question: "How many?" }, bearer(KEY).headers);
    expect(asked.status).toBe(202);
    const { id } = (await asked.json()) as { id: string };
    expect((await request(`/v1/runs/${id}`, bearer(KEY))).status).toBe(200);
    for (const path of ["", "/events", "/transcript", "/results/r1"]) {
      const other = await request(`/v1/runs/${id}${path}`, bearer(OTHER_KEY));
      expect(other.status).toBe(404);
      expect((await readProblem(other)).code).toBe("run_not_found");
    }
    for (const action of ["steps", "cancel", "continue", "fork", "reply", "approve"]) {
      const body = {
        approve: { approval: "a1", decision: "approve" },
        reply: { inquiry: "q1", reply: "Revenue" },
      }[action];
      expect((await post(`/v1/runs/${id}/${action}`, body ?? {}, bearer(OTHER_KEY).headers)).status).toBe(404);
    }
    expect(await (await request("/v1/runs", bearer(OTHER_KEY))).json()).toEqual({ runs: [], next_cursor: null });
  });

  test.each([
    [undefined, 'Bearer realm="querent"'],
    ["", 'Bearer realm="querent", error="invalid_token"'],
    [KEY, 'Bearer realm="querent", error="invalid_token"'],
    [`Basic ${KEY}`, 'Bearer realm="querent", error="invalid_token"'],
    [`Bearer ${KEY}x`, 'Bearer realm="querent", error="invalid_token"'],
    [`Bearer ${KEY.slice(0, -1)}`, 'Bearer realm="querent", error="invalid_token"'],
    [`Bearer ${KEY}, Bearer ${KEY}`, 'Bearer realm="querent", error="invalid_token"'],
    ["Bearer ", 'Bearer realm="querent", error="invalid_token"'],
    [`Bearer ${"x".repeat(600)}`, 'Bearer realm="querent", error="invalid_token"'],
    [sha256(KEY).replace("sha256:", "Bearer "), 'Bearer realm="querent", error="invalid_token"'],
  ])("the header %j is 401 and says how to send a key", async (authorization, challenge) => {
    const { request } = createHarness({ QUERENT_CALLERS: CALLERS });
    const response = await request("/v1/runs", authorization === undefined ? {} : { headers: { authorization } });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe(challenge);
    expect((await readProblem(response)).code).toBe("unauthorized");
  });

  test.each([`bearer ${KEY}`, `BEARER  ${KEY}`, `Bearer ${KEY} `])("the header %j is the same key", async (value) => {
    const { request } = createHarness({ QUERENT_CALLERS: CALLERS });
    expect((await request("/v1/runs", { headers: { authorization: value } })).status).toBe(200);
  });

  test("a caller may have two keys while one is replaced", async () => {
    const both = JSON.stringify({ alice: { keys: [sha256(KEY), sha256(OTHER_KEY)] } });
    const { ask, request } = createHarness({ QUERENT_CALLERS: both, QUERENT_LOCAL: "1" });
    await ask();
    for (const key of [KEY, OTHER_KEY]) expect((await request("/v1/runs", bearer(key))).status).toBe(200);
  });

  test("without callers everything is 401, but health and the contract", async () => {
    const { request, post } = createHarness({});
    for (const path of ["/v1/runs", "/v1/runs/x", "/v1/runs/x/events", "/v1/runs/x/results/r1"]) {
      const response = await request(path);
      expect(response.status).toBe(401);
      expect((await readProblem(response)).detail).toContain("No API keys are configured");
    }
    expect((await post("/v1/runs", { question: "How many?" }, bearer("").headers)).status).toBe(401);
    expect((await request("/healthz")).status).toBe(200);
  });
});

describe("the local caller", () => {
  test("needs no key, but must be asked at this machine's own name", async () => {
    const { app, bindings, context } = createHarness({ QUERENT_LOCAL: "1" });
    for (const host of ["localhost:8787", "127.0.0.1", "[::1]:8787"]) {
      expect((await app.request(`http://${host}/v1/runs`, {}, bindings, context)).status).toBe(200);
    }
    for (const host of ["rebound.example.com", "127.0.0.1.nip.io", "localhost.evil.com", "192.168.1.5:8787"]) {
      const response = await app.request(`http://${host}/v1/runs`, {}, bindings, context);
      expect(response.status).toBe(403);
      expect((await readProblem(response)).code).toBe("forbidden_host");
    }
  });

  test("a wrong key is refused locally too", async () => {
    const { request } = createHarness({ QUERENT_LOCAL: "1" });
    const response = await request("/v1/runs", bearer("wrong"));
    expect(response.status).toBe(401);
    expect((await readProblem(response)).detail).toContain("needs none: leave the Authorization header out");
  });
});
