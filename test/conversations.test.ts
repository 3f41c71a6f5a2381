/**
 * Conversations over real HTTP: the core, the Claude adapter with its SDK, and the strict fake of the Messages API. One
 * script for each mechanism of recovery, every ordered pair of them, and random replies of every shape. Whatever the
 * model does, the run ends, no budget is passed, the reason is right, and every request is one that the vendor takes.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAnthropicModel } from "../src/models/anthropic.ts";
import { lookUpModel } from "../src/models/prices.ts";
import { createFinalAnswerTool } from "../src/tools/final-answer.ts";
import { createNotesTool } from "../src/tools/notes.ts";
import { createReadResultTool } from "../src/tools/read-result.ts";
import { message, raw, type ScriptItem, status, text, thinking, toolUse } from "./fakes/anthropic-script.ts";
import { type FakeAnthropic, type Lane, startFakeAnthropic } from "./fakes/fake-anthropic.ts";
import { createMemoryRun, type MemoryOptions, type MemoryRun, queryTool } from "./fakes/memory-run.ts";

const tools = [
  queryTool((sql) =>
    sql.includes("bad") ? new Error(`no such column in ${sql}`) : { columns: ["sql"], rows: [[sql]] },
  ),
  createReadResultTool(),
  createNotesTool(),
  createFinalAnswerTool(),
];

const query = (sql: string) => toolUse("execute_read_only_sql", { sql });
const answer = () => toolUse("final_answer", { answer: "Done." });
const long = "Some words of an answer that goes on. ".repeat(20);

/** What a model does wrong, in one or more replies, and then goes on. */
const MECHANISMS: { readonly [name: string]: readonly (() => ScriptItem)[] } = {
  "a plain query": [() => query("SELECT 1")],
  "parallel calls with thinking": [() => [thinking("Two at once."), query("SELECT 2"), query("SELECT 3")]],
  "a failing query": [() => query("bad 1")],
  "a family that fails twice": [() => query("SELECT bad FROM t"), () => query("SELECT bad_too FROM t")],
  "an unknown tool": [() => toolUse("make_coffee", { strong: true })],
  "a doubled name": [() => toolUse("execute_read_only_sqlexecute_read_only_sql", { sql: "SELECT 4" })],
  "wrong arguments": [() => toolUse("execute_read_only_sql", { query: "SELECT 5" })],
  "text that is cut": [
    () => message([text(long)], { stop_reason: "max_tokens" }),
    () => text("It had said some words."),
  ],
  "a tool call that is cut": [() => message([query("SELECT * FRO")], { stop_reason: "max_tokens" })],
  "thinking that is cut": [() => message([thinking("So long")], { stop_reason: "max_tokens" })],
  "an empty reply": [() => message([], {})],
  "tool_use without a call": [() => message([], { stop_reason: "tool_use" })],
  pause_turn: [() => message([text("Wait.")], { stop_reason: "pause_turn" })],
  "an unheard-of reason": [() => message([text("Hm.")], { stop_reason: "zebra" })],
  "a full window": [() => message([text("Full.")], { stop_reason: "model_context_window_exceeded" })],
  "an overloaded provider": [() => status(529)],
  "a refused request": [() => status(400)],
  "a repeated call": [() => query("SELECT 9"), () => query("SELECT 9"), () => query("SELECT 9")],
  "a note": [() => toolUse("notes", { note: "Sketch: one table." })],
  "an unsupported figure": [() => toolUse("read_result", { ref: "r1" })],
};

describe("conversations with the strict fake", () => {
  let fake: FakeAnthropic;
  let lanes = 0;

  beforeAll(async () => {
    fake = await startFakeAnthropic();
  });
  afterAll(async () => {
    await fake.stop();
  });

  function converse(next: (n: number) => ScriptItem, options: MemoryOptions = {}): { run: MemoryRun; lane: Lane } {
    lanes += 1;
    const apiKey = `key-${lanes}`;
    const lane = fake.addLane(apiKey, {
      // The last call, the critic and the summary may not call tools, so the model does not.
      handler: (request, n) => {
        const choice = request.tool_choice as { readonly type?: string } | undefined;
        const hasTools = Array.isArray(request.tools) && request.tools.length > 0;
        return choice?.type === "none" || !hasTools ? text("So far.") : next(n);
      },
    });
    const info = lookUpModel("claude-sonnet-5-5");
    if (!info.ok) throw new Error(info.error);
    const model = createAnthropicModel({ apiKey, baseUrl: fake.url, info: info.value });
    return { run: createMemoryRun(model, { tools, ...options }), lane };
  }

  function checkLane(lane: Lane): void {
    expect(lane.problems).toEqual([]);
    expect(lane.requests.filter((request) => request.fault !== null).map((request) => request.fault)).toEqual([]);
  }

  it.each(Object.keys(MECHANISMS))("goes on after %s, and answers", async (name) => {
    const replies = [() => query("SELECT 0"), ...(MECHANISMS[name] ?? [])];
    const { run, lane } = converse((n) => (replies[n] ?? answer)(), { limits: { max_errors: 8 } });
    await run.finish();
    expect(run.state().ending).toMatchObject({ outcome: "answered", answer: "Done." });
    checkLane(lane);
  });

  it("goes on after every ordered pair of them, and ends with the answer or a reason that fits", async () => {
    const names = Object.keys(MECHANISMS);
    let pairs = 0;
    for (const first of names) {
      for (const second of names) {
        const replies = [() => query("SELECT 0"), ...(MECHANISMS[first] ?? []), ...(MECHANISMS[second] ?? [])];
        const { run, lane } = converse((n) => (replies[n] ?? answer)(), { limits: { max_errors: 8, budget_usd: 5 } });
        await run.finish();
        const { ending, usage, limits } = run.state();
        const label = `${first}, then ${second}`;
        expect(ending?.outcome, label).toBeTypeOf("string");
        expect(REASONS, label).toContain(ending?.stopReason);
        if (!REPEATING.has(first) || !REPEATING.has(second)) expect(ending?.stopReason, label).toBe("done");
        expect(usage.costNanoUsd, label).toBeLessThanOrEqual(limits.costNanoUsdMax);
        checkLane(lane);
        pairs += 1;
      }
    }
    console.log(`conversations: ${pairs} pairs of mechanisms`);
  }, 120_000);

  it("F17: twenty calls in one reply, some wrong, are answered in one turn that the vendor takes", async () => {
    const mixed = [
      ...Array.from({ length: 15 }, (_, n) => query(`SELECT ${n}`)),
      toolUse("execute_read_only_sql", {}),
      toolUse("execute_read_only_sql", { sql: "SELECT 1", limit: 5 }),
      toolUse("execute_read_only_sql", { sql: 7 }),
      toolUse("make_coffee", { strong: true }),
      query("bad"),
    ];
    for (const max_hops of [9, 21]) {
      const replies = [() => message(mixed, {})];
      const { run, lane } = converse((n) => (replies[n] ?? answer)(), {
        limits: { max_hops, max_errors: 8, max_consecutive_errors: 8 },
      });
      await run.finish();
      const turn = run.messages()[2];
      if (turn?.role !== "tool") throw new Error("the calls are answered in the next message");
      expect(turn.results).toHaveLength(20);
      expect(turn.results.slice(15).every((result) => result.isError)).toBe(true);
      const isOver = max_hops === 9;
      expect(run.state()).toMatchObject({
        ending: isOver ? { stopReason: "max_hops", partialAnswer: "So far." } : { answer: "Done." },
        usage: { steps: isOver ? 1 : 2, hops: max_hops },
      });
      checkLane(lane);
    }
  });

  const page = { "content-type": "text/html" };
  it.each<[string, () => ScriptItem, boolean, number]>([
    ["a redirect", () => raw("", { status: 302, headers: { location: "http://127.0.0.1:9/" } }), false, 1],
    ["a redirect for good", () => raw("<html>", { status: 308, headers: page }), false, 1],
    ["an edge that is not connected", () => raw("<html>", { status: 521, headers: page }), false, 4],
    ["an overloaded provider", () => status(529), false, 4],
    ["a rate limit", () => status(429), false, 4],
    ["a wrong key", () => status(401), false, 1],
    ["a spend limit", () => status(429, { error_code: "enforced_spend_limit_reached" }), false, 1],
    ["a page with status 200", () => raw("<html>Welcome</html>", { headers: page }), true, 1],
    ["JSON that is cut", () => raw('{"type":"message","content":[{"ty'), true, 4],
    ["a gateway's page", () => raw("<html>Bad gateway</html>", { status: 502, headers: page }), true, 4],
  ])(
    "C26, C27: %s for good ends the run as the provider's, tried so often, and costs what it may have cost",
    async (_what, fault, isCharged, tries) => {
      const { run, lane } = converse(() => fault(), { limits: { budget_usd: 5 } });
      await run.finish();
      const { ending, usage } = run.state();
      expect(ending).toMatchObject({ outcome: "failed", stopReason: "provider_error" });
      expect(lane.requests).toHaveLength(tries);
      const reserved = run.events().flatMap((event) => (event.type === "step_started" ? [event.reservedNanoUsd] : []));
      expect(reserved).toHaveLength(tries);
      expect(Math.min(...reserved)).toBeGreaterThan(0);
      // Tries are metered as calls, and as one step.
      expect(usage).toMatchObject({ modelCalls: tries, steps: 1 });
      expect(usage.costNanoUsd).toBe(isCharged ? reserved.reduce((sum, nano) => sum + nano, 0) : 0);
      expect(lane.problems).toEqual([]);
    },
  );

  it("property: random replies of every shape end within the limits, on requests that the vendor takes", async () => {
    const block = fc.oneof(
      fc.constantFrom("SELECT 1", "bad", "SELECT 2", "").map((sql) => query(sql)),
      fc.constantFrom("nope", "execute_read_only_sqlX", "final_answerfinal_answer").map((name) => toolUse(name, {})),
      fc.record({ answer: fc.constantFrom("It is 1.", "", "r1") }).map((input) => toolUse("final_answer", input)),
      fc.constantFrom("Words.", "\u{1F600}", "a\ud800b", long).map((words) => text(words)),
      fc.constant(thinking("Hm.")),
      fc.integer({ min: -30, max: 30 }).map((from) => toolUse("read_result", { ref: "r1", from_row: from })),
    );
    const item: fc.Arbitrary<ScriptItem> = fc.oneof(
      { weight: 6, arbitrary: fc.array(block, { maxLength: 4 }).map((blocks) => message(blocks, {})) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            fc.array(block, { maxLength: 3 }),
            fc.constantFrom(
              "max_tokens",
              "pause_turn",
              "refusal",
              "zebra",
              "model_context_window_exceeded",
              "tool_use",
            ),
          )
          .map(([blocks, reason]) => message(blocks, { stop_reason: reason })),
      },
      { weight: 1, arbitrary: fc.constantFrom(529, 500, 400, 429).map((code) => status(code)) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: 1, maxLength: 8 }),
        fc.constantFrom("off", "report", "require"),
        async (items, grounding) => {
          const { run, lane } = converse((n) => items[n % items.length] ?? text("x"), {
            run: { grounding: grounding as "off" },
          });
          await run.finish();
          const { ending, usage, limits, attempt } = run.state();
          expect(attempt).toBeNull();
          expect(usage.costNanoUsd).toBeLessThanOrEqual(limits.costNanoUsdMax);
          if (ending?.outcome !== "answered") expect(ending?.answer).toBeNull();
          checkLane(lane);
        },
      ),
      { seed: 20_261_130, numRuns: 250 },
    );
  }, 120_000);
});

const REASONS = ["done", "cycle", "malformed_reply", "context_window", "provider_error", "max_hops", "retry_ceiling"];

/** Mechanisms of which two in one run may rightly end it. */
const REPEATING = new Set([
  "a repeated call",
  "an empty reply",
  "tool_use without a call",
  "pause_turn",
  "a full window",
  "a refused request",
  "a failing query",
  "a family that fails twice",
  "an unknown tool",
  "wrong arguments",
  "a plain query",
]);
