import { describe, expect, test } from "vitest";
import { parseIdempotencyKey } from "../../src/http/idempotency.ts";
import { CALLERS, createHarness, KEY, OTHER_KEY, readProblem } from "./harness.ts";

const ASK = { question: "How many?" };

describe("parseIdempotencyKey", () => {
  test.each([
    ['"8e03978e-40d5"', "key:8e03978e-40d5"],
    [' "a b" ', "key:a b"],
    ['"a\\"b\\\\c"', 'key:a"b\\c'],
  ])("takes %s", (header, name) => {
    expect(parseIdempotencyKey(header, {})).toMatchObject({ ok: true, value: { name } });
  });

  test.each([
    "abc",
    "",
    '""',
    '"a',
    'a"',
    '"a" ; x',
    '"a", "b"',
    '"a\u00e9"',
    '"a\\n"',
    `"${"x".repeat(256)}"`,
    ":YWJj:",
  ])("refuses %j", (header) => {
    expect(parseIdempotencyKey(header, {}).ok).toBe(false);
  });

  test("without the header there is no key", () => {
    expect(parseIdempotencyKey(undefined, {})).toEqual({ ok: true, value: null });
  });

  test("the order of fields makes no other body, a value does", () => {
    const print = (body: unknown) => parseIdempotencyKey('"k"', body);
    expect(print({ a: 1, b: 2 })).toEqual(print({ b: 2, a: 1 }));
    expect(print({ a: 1 })).not.toEqual(print({ a: 2 }));
  });
});

describe("Idempotency-Key", () => {
  test("J1: the same key and body twenty times at once make one run", async () => {
    const { post, runs, callers } = createHarness();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post("/v1/runs", ASK, { "idempotency-key": '"k1"', prefer: "wait=5" })),
    );
    const ids = await Promise.all(answers.map(async (response) => ((await response.json()) as { id: string }).id));
    expect(new Set(ids).size).toBe(1);
    expect(runs.size).toBe(1);
    expect([...runs.values()][0]?.run?.usage.steps).toBe(2);
    expect(callers.get("local")?.admitted).toHaveLength(1);
    for (const response of answers) {
      expect([200, 202]).toContain(response.status);
      expect(response.headers.get("idempotency-expires")).toBe("2026-12-01T12:00:00.000Z");
    }
  });

  test("another body is 422, another key another run, no key always another", async () => {
    const { post } = createHarness();
    const id = async (body: object, key?: string) => {
      const response = await post("/v1/runs", body, key === undefined ? {} : { "idempotency-key": key });
      return ((await response.json()) as { id: string }).id;
    };
    const first = await id(ASK, '"k1"');
    expect(await id(ASK, '"k1"')).toBe(first);
    expect(await id({ question: " How many? " }, '"k1"')).toBe(first);
    expect(await id(ASK, '"k2"')).not.toBe(first);
    expect(await id(ASK)).not.toBe(first);
    const other = await post("/v1/runs", { question: "How much?" }, { "idempotency-key": '"k1"' });
    expect(other.status).toBe(422);
    expect((await readProblem(other)).code).toBe("idempotency_key_reused");
  });

  test("in flight is 409 with Retry-After, a key without quotes 400", async () => {
    const { post, callers, ask } = createHarness();
    await ask();
    callers.get("local")!.inFlight = true;
    const busy = await post("/v1/runs", ASK, { "idempotency-key": '"k1"' });
    expect([busy.status, busy.headers.get("retry-after")]).toEqual([409, "1"]);
    const bare = await post("/v1/runs", ASK, { "idempotency-key": "k1" });
    expect(bare.status).toBe(400);
    expect((await readProblem(bare)).errors).toMatchObject([{ header: "Idempotency-Key" }]);
  });

  test("is scoped by caller", async () => {
    const { post } = createHarness({ QUERENT_CALLERS: CALLERS });
    const ids = await Promise.all(
      [KEY, OTHER_KEY].map(async (key) => {
        const headers = { authorization: `Bearer ${key}`, "idempotency-key": '"same"' };
        return ((await (await post("/v1/runs", ASK, headers)).json()) as { id: string }).id;
      }),
    );
    expect(ids[0]).not.toBe(ids[1]);
  });

  test("C32: a request that died between claim, admission and start goes on when it comes again", async () => {
    const { post, prepare, runs, callers } = createHarness();
    let dying = true;
    prepare.push((run) => {
      const start = run.start.bind(run);
      run.start = (input, driver) => (dying ? Promise.reject(new Error("evicted")) : start(input, driver));
    });
    expect((await post("/v1/runs", ASK, { "idempotency-key": '"k1"' })).status).toBe(500);
    dying = false;
    const again = await post("/v1/runs", ASK, { "idempotency-key": '"k1"' });
    expect(again.status).toBe(202);
    expect(runs.size).toBe(1);
    expect(callers.get("local")?.admitted).toHaveLength(1);
  });

  test("a refused request may come again with its key once there is room", async () => {
    const { post, callers, ask } = createHarness();
    await ask();
    const caller = callers.get("local")!;
    caller.refusal = { kind: "refused", reason: "rate", retryAfterS: 1, rate: { remaining: 0, resetS: 1 } };
    expect((await post("/v1/runs", ASK, { "idempotency-key": '"k1"' })).status).toBe(429);
    caller.refusal = null;
    expect((await post("/v1/runs", ASK, { "idempotency-key": '"k1"' })).status).toBe(202);
  });
});
