import { describe, expect, test } from "vitest";
import { createHarness, KEY, readProblem, sha256 } from "./harness.ts";

describe("POST /v1/runs", () => {
  test("answers 202 with the run and where it is", async () => {
    const { post, runs } = createHarness();
    const response = await post("/v1/runs", { question: "  How many albums?\r\n" });
    expect(response.status).toBe(202);
    const run = (await response.json()) as { id: string; question: string };
    expect(run.id).toMatch(/^run_[a-z2-7]{26}$/);
    expect(run.question).toBe("How many albums?");
    expect(response.headers.get("location")).toBe(`/v1/runs/${run.id}`);
    expect(runs.get(run.id)?.driver).toBe("alarm");
  });

  test("C7: a request without limits gets 12 steps, 60 s, 300 s and $0.50", async () => {
    const { post } = createHarness();
    const run = (await (await post("/v1/runs", { question: "How many?" })).json()) as { limits: object };
    expect(run.limits).toMatchObject({ max_steps: 12, step_timeout_s: 60, wall_clock_s: 300, budget_usd: 0.5 });
  });

  test("C7: a limit above the caller's maximum is 422 and names the maximum", async () => {
    const { post, callers } = createHarness();
    const response = await post("/v1/runs", { question: "How many?", limits: { max_steps: 10_000, budget_usd: 11 } });
    expect(response.status).toBe(422);
    const problem = await readProblem(response);
    expect(problem).toMatchObject({
      code: "limit_above_maximum",
      max: { max_steps: 128, budget_usd: 10 },
      errors: [{ pointer: "#/limits/max_steps" }, { pointer: "#/limits/budget_usd" }],
    });
    expect(problem.detail).toContain("128");
    expect(callers.size).toBe(0);
  });

  test("Prefer: wait drives the run, one call of the object a step, and answers 200 when it is done", async () => {
    const { post, runs } = createHarness();
    const response = await post("/v1/runs", { question: "How many?" }, { prefer: "respond-async, wait=10" });
    expect(response.status).toBe(200);
    expect(response.headers.get("preference-applied")).toBe("wait=10");
    expect(response.headers.get("querent-outcome")).toBe("answered");
    const run = (await response.json()) as { id: string; status: string };
    expect(run.status).toBe("finished");
    expect(runs.get(run.id)?.driver).toBe("caller");
    expect(runs.get(run.id)?.calls).toEqual(["start", "step", "step"]);
  });

  test("a wait that is over answers 202, and the step under way is kept alive", async () => {
    const { post, prepare, kept } = createHarness();
    prepare.push((run) => {
      run.step = () => new Promise(() => undefined);
    });
    const response = await post("/v1/runs", { question: "How many?" }, { prefer: "wait=1" });
    expect(response.status).toBe(202);
    expect(kept).toHaveLength(1);
  });

  test("while another driver is busy the wait asks for news and does not spin", async () => {
    const { post, prepare, runs } = createHarness();
    prepare.push((run) => run.script.push("busy"));
    const response = await post("/v1/runs", { question: "How many?" }, { prefer: "wait=10" });
    expect(response.status).toBe(200);
    const [run] = runs.values();
    const latest = Number.MAX_SAFE_INTEGER;
    expect(run?.calls).toEqual(["start", "step", `eventsAfter ${latest} 0`, "eventsAfter 1 10000", "step", "step"]);
  });

  test("a run that waits for a person, or longer than the client, is answered at once", async () => {
    for (const [kind, until] of [
      ["approval", "2026-11-30T12:00:01Z"],
      ["retry", "2026-11-30T12:05:00Z"],
    ] as const) {
      const { post, prepare, runs } = createHarness();
      prepare.push((run) => {
        run.script.push("waiting");
        run.waitingKind = kind;
        run.waitingUntil = until;
      });
      const response = await post("/v1/runs", { question: "How many?" }, { prefer: "wait=10" });
      expect(response.status).toBe(202);
      expect([...runs.values()][0]?.calls).toEqual(["start", "step"]);
    }
  });

  test("a manual run is not driven, however long the client wants to wait", async () => {
    const { post, runs } = createHarness();
    const response = await post("/v1/runs", { question: "How many?", mode: "manual" }, { prefer: "wait=10" });
    expect(response.status).toBe(202);
    expect([...runs.values()][0]?.calls).toEqual(["start"]);
  });

  test("A29: an answer that rests on no query says so in a header and in the run", async () => {
    const { post, prepare } = createHarness();
    prepare.push((run) => {
      run.grounded = false;
    });
    const response = await post("/v1/runs", { question: "How many?" }, { prefer: "wait=10" });
    expect(response.headers.get("querent-grounded")).toBe("false");
    expect(await response.json()).toMatchObject({ grounded: false });
  });

  test("the object gets what was decided: caller, scopes, tools, limits in nano-dollars", async () => {
    const { post, runs } = createHarness();
    await post("/v1/runs", { question: "How many?", tools: [], limits: { budget_usd: 0.25 }, grounding: "require" });
    expect([...runs.values()][0]?.started).toMatchObject({
      caller: "local",
      scopes: {},
      tools: [],
      model: "offline",
      grounding: "require",
      mode: "auto",
      limits: { costNanoUsdMax: 250_000_000 },
      callbackUrl: null,
    });
  });

  test("the object is told of a caller's hour of prompt caching, and of nothing that an older one would not know", async () => {
    const startedBy = async (more: object) => {
      const callers = { team: { keys: [sha256(KEY)], ...more } };
      const { post, runs } = createHarness({ QUERENT_CALLERS: JSON.stringify(callers) });
      await post("/v1/runs", { question: "How many?" }, { authorization: `Bearer ${KEY}` });
      return [...runs.values()][0]?.started;
    };
    expect(await startedBy({ prompt_cache: "1h" })).toMatchObject({ caller: "team", promptCache: "1h" });
    for (const more of [{}, { prompt_cache: "5m" }]) {
      const started = await startedBy(more);
      expect(started).toMatchObject({ caller: "team" });
      expect(started).not.toHaveProperty("promptCache");
    }
  });

  test.each([
    [0, 400],
    [-1, 400],
    ["5", 400],
    [null, 400],
    [true, 400],
    [[], 400],
    [1.5, 400],
    [1e9, 422],
    [1e-9, 400],
  ])("max_steps of %j is %i", async (value, status) => {
    const { post } = createHarness();
    const response = await post("/v1/runs", { question: "How many?", limits: { max_steps: value } });
    expect(response.status).toBe(status);
    expect((await readProblem(response)).errors?.[0]?.pointer).toBe("#/limits/max_steps");
  });

  test.each([
    ["0", 400],
    ["-0.5", 400],
    ["1e999", 400],
    ["-1e999", 400],
    ["NaN", 400],
    ["Infinity", 400],
    ['"0.5"', 400],
    ["null", 400],
    ["1e-10", 400],
    ["1e9", 422],
    ["1e-9", 202],
  ])("budget_usd of %s is %i", async (text, status) => {
    const { post } = createHarness();
    const response = await post("/v1/runs", `{"question":"How many?","limits":{"budget_usd":${text}}}`);
    expect(response.status).toBe(status);
  });

  test.each([
    [{}, "#/question"],
    [{ question: 5 }, "#/question"],
    [{ question: "How many?", budjet: 1 }, "#/budjet"],
    [{ question: "How many?", limits: { budget: 1 } }, "#/limits/budget"],
    [{ question: "How many?", limits: null }, "#/limits"],
    [{ question: "How many?", limits: [] }, "#/limits"],
    [{ question: "How many?", mode: "turbo" }, "#/mode"],
    [{ question: "How many?", grounding: true }, "#/grounding"],
    [{ question: "How many?", model: null }, "#/model"],
    [{ question: "How many?", tools: "all" }, "#/tools"],
    [{ question: "How many?", tools: [1] }, "#/tools/0"],
    [{ question: "How many?", "a/b~c": 1 }, "#/a~1b~0c"],
    [{ question: "How many?", callback_url: "https://example.com/" }, "#/callback_url"],
  ])("%j is 400 at %s", async (body, pointer) => {
    const { post, callers } = createHarness();
    const response = await post("/v1/runs", body);
    expect(response.status).toBe(400);
    expect((await readProblem(response)).errors?.map((error) => error.pointer)).toContain(pointer);
    expect(callers.size).toBe(0);
  });

  test("an unknown model or tool is 422 with the list of known ones", async () => {
    const { post } = createHarness();
    const model = await post("/v1/runs", { question: "How many?", model: "claude-opus-9.9" });
    expect(model.status).toBe(422);
    expect(await readProblem(model)).toMatchObject({ code: "model_not_available", available: ["offline"] });
    const tool = await post("/v1/runs", { question: "How many?", tools: ["final_answer", "drop_table"] });
    expect(tool.status).toBe(422);
    expect(await readProblem(tool)).toMatchObject({ code: "unknown_tool", errors: [{ pointer: "#/tools/1" }] });
  });

  test("a refusal by the caller object is 429 with Retry-After and the RateLimit fields", async () => {
    const { post, callers, ask, runs } = createHarness();
    await ask();
    const caller = callers.get("local");
    expect(caller).toBeDefined();
    for (const [reason, code] of [
      ["rate", "rate_limited"],
      ["runs_at_once", "too_many_runs"],
      ["daily_budget", "daily_budget_spent"],
    ] as const) {
      caller!.refusal = { kind: "refused", reason, retryAfterS: 7, rate: { remaining: 0, resetS: 7 } };
      const response = await post("/v1/runs", { question: "How many?" });
      expect(response.status).toBe(429);
      expect(response.headers.get("retry-after")).toBe("7");
      expect(response.headers.get("ratelimit")).toBe('"questions";r=0;t=7');
      expect(response.headers.get("ratelimit-policy")).toBe('"questions";q=6000;w=60');
      expect(await readProblem(response)).toMatchObject({
        code,
        type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      });
    }
    expect(runs.size).toBe(1);
  });
});

describe("GET /v1/runs/:id", () => {
  test("gives the run with an ETag, and 304 to who has it already", async () => {
    const { ask, request, runs } = createHarness();
    const id = await ask();
    const first = await request(`/v1/runs/${id}`);
    expect(first.status).toBe(200);
    const tag = first.headers.get("etag") ?? "";
    expect(tag).toMatch(/^"[0-9a-f]+"$/);
    const again = await request(`/v1/runs/${id}`, { headers: { "if-none-match": `"other", W/${tag}` } });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
    const other = await request(`/v1/runs/${id}`, { headers: { "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
    await runs.get(id)?.step();
    const changed = await request(`/v1/runs/${id}`, { headers: { "if-none-match": tag } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).not.toBe(tag);
  });

  test.each([
    "run_aaaaaaaaaaaaaaaaaaaaaaaaaa",
    "run_x",
    "constructor",
    "__proto__",
    "run_%00",
    "..%2f..%2fetc",
    "%F0%9F%98%80",
  ])("the id %s is 404 and wakes no object", async (id) => {
    const { request, runs } = createHarness();
    const response = await request(`/v1/runs/${id}`);
    expect(response.status).toBe(404);
    expect((await readProblem(response)).code).toBe("run_not_found");
    expect(runs.size).toBe(0);
  });
});

describe("GET /v1/runs", () => {
  test("gives the caller's runs, newest first, in pages", async () => {
    const { ask, request } = createHarness();
    const ids = [await ask(), await ask(), await ask()];
    const first = (await (await request("/v1/runs?limit=2")).json()) as { runs: { id: string }[]; next_cursor: string };
    expect(first.runs.map((run) => run.id)).toEqual([ids[2], ids[1]]);
    const second = await (await request(`/v1/runs?limit=2&cursor=${first.next_cursor}`)).json();
    expect(second).toEqual({
      runs: [
        {
          id: ids[0],
          question: "How many albums?",
          outcome: null,
          cost_usd: 0,
          reserved_usd: 0.005,
          links: { self: `/v1/runs/${ids[0]}` },
          created_at: "2026-11-30T12:00:00.000Z",
        },
      ],
      next_cursor: null,
    });
  });

  test.each(["limit=0", "limit=101", "limit=-1", "limit=x", "limit=", "limit=1&limit=2", "cursor=zzz"])(
    "?%s is 400 and names the parameter",
    async (query) => {
      const { request } = createHarness();
      const response = await request(`/v1/runs?${query}`);
      expect(response.status).toBe(400);
      expect((await readProblem(response)).errors?.[0]?.parameter).toBe(query.split("=")[0]);
    },
  );
});
