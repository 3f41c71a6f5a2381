import { describe, expect, it } from "vitest";
import { count, formatUsd, toProgressLines } from "../../src/cli/progress.ts";

const at = "2026-11-30T12:00:01.500Z";
const texts = (event: Parameters<typeof toProgressLines>[0], width = 100) =>
  toProgressLines(event, 1500, width).map((line) => line.text);

describe("what is shown of a step", () => {
  it("the thought, the tool, its SQL, the spend so far and the time", () => {
    const event = {
      type: "model_replied",
      at,
      step: 2,
      phase: "action",
      text: "I count the tracks first.",
      calls: [{ id: "c1", name: "execute_read_only_sql", input: { sql: "SELECT count(*)\nFROM Track" } }],
      usage: { input: 10 },
      cost_usd: 0.001,
      cost_total_usd: 0.0123,
      duration_ms: 900,
    };
    expect(texts(event)).toEqual([
      "Step 2 · $0.0123 so far · 1.5 s",
      "   I count the tracks first.",
      "   → execute_read_only_sql",
      "   SELECT count(*)",
      "   FROM Track",
    ]);
  });

  it("the other arguments of a call, but not the answer, which comes at the end", () => {
    const calls = [
      { name: "describe_tables", input: { tables: ["Track"] } },
      { name: "final_answer", input: { answer: "a long answer", results: ["r1"] } },
      { name: "strange", input: "text" },
    ];
    expect(texts({ type: "model_replied", at, step: 1, calls })).toEqual([
      "Step 1 · $0 so far · 1.5 s",
      '   → describe_tables {"tables":["Track"]}',
      '   → final_answer {"results":["r1"]}',
      "   → strange",
    ]);
  });

  it("rows, rows read and duration of a query; the reason when it failed", () => {
    const observed = { type: "tool_observed", at, step: 1, call_id: "c1", name: "execute_read_only_sql" };
    const query = { sql: "…", rows: 24, rows_read: 2240, duration_ms: 3.4, error: null, ref: "r1" };
    expect(texts({ ...observed, observation: { status: "success", summary: "24 rows." }, query })).toEqual([
      "   ← 24 rows, 2,240 read, 3 ms",
    ]);
    const failed = {
      ...observed,
      observation: { status: "error", summary: "no such column: x" },
      query: { ...query, error: "x" },
    };
    expect(toProgressLines(failed, 0, 100)).toEqual([{ text: "   ← no such column: x", style: "bad" }]);
    expect(texts({ ...observed, observation: { status: "success", summary: "11 tables." }, query: null })).toEqual([
      "   ← 11 tables.",
    ]);
  });

  it("a failed call, a wait and a ceiling are told", () => {
    expect(texts({ type: "model_failed", at, code: "overloaded", message: "The model is busy." })).toEqual([
      "   model failed: overloaded: The model is busy.",
    ]);
    expect(texts({ type: "ceiling_reached", at, reason: "max_steps" })).toEqual(["   ceiling reached: max_steps"]);
    expect(texts({ type: "retry_scheduled", at, code: "overloaded", until: "soon" })[0]).toContain("until soon");
  });

  it("that a person is asked is told with how long it waits", () => {
    expect(texts({ type: "approval_asked", at, approval: "a1", queries: [], until: "tomorrow" })).toEqual([
      "   · waits for a yes, until tomorrow",
    ]);
    expect(texts({ type: "question_asked", at })).toEqual(["   · waits for an answer"]);
  });

  it("a person's word is told with who said it", () => {
    expect(texts({ type: "approval_decided", at, decision: "approved", by: "local" })).toEqual([
      "   · local allowed it",
    ]);
    expect(texts({ type: "approval_decided", at, decision: "declined", by: "local" })).toEqual(["   · local declined"]);
    expect(texts({ type: "question_answered", at, reply: "Revenue", by: "slack:U1" })).toEqual([
      "   · slack:U1 answered: Revenue",
    ]);
    expect(texts({ type: "question_answered", at, reply: 5 })).toEqual(["   · A person answered: "]);
  });

  it("an event that nobody knows, or that is not as expected, is passed over", () => {
    expect(texts({ type: "telepathy_established", at })).toEqual([]);
    expect(texts({ type: "model_replied", at, calls: "none" })).toEqual([]);
    expect(texts({ type: "run_started", at })).toEqual([]);
  });

  it("long texts are cut and control characters made harmless", () => {
    const text = `${Array.from({ length: 40 }, (_each, index) => `line ${index}`).join("\n")}\x1b[31m`;
    const lines = texts({ type: "model_replied", at, step: 1, text, calls: [] });
    expect(lines).toHaveLength(1 + 12 + 1);
    expect(lines.at(-1)).toBe("   … 28 more lines");
    expect(texts({ type: "model_replied", at, step: 1, text: "\x1b]0;x\x07", calls: [] })[1]).toBe("   ␛]0;x␇");
    expect(texts({ type: "model_replied", at, step: 1, text: "word ".repeat(50), calls: [] }, 20)[1]).toHaveLength(20);
  });
});

describe("amounts", () => {
  it("read as a person writes them", () => {
    expect([count(1, "row"), count(0, "row"), count(2155, "row")]).toEqual(["1 row", "0 rows", "2,155 rows"]);
    expect([0, 0.00001, 0.0123, 1.5].map(formatUsd)).toEqual(["$0", "<$0.0001", "$0.0123", "$1.5000"]);
  });
});
