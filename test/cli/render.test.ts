import { describe, expect, it } from "vitest";
import { exitCodeOf, lastResultOf, renderReport } from "../../src/cli/render.ts";
import { aRun } from "./fake-door.ts";

const context = {
  table: { columns: ["count(*)"], rows: [[3503]], totalRows: 1, truncated: false },
  widthMax: 80,
  hasAnthropicKey: false,
};

describe("the report of a run", () => {
  it("is the answer, the rows behind it, and one receipt line", () => {
    expect(renderReport(aRun(), context)).toBe(`3,503 tracks.

count(*)
--------
    3503

2 steps · 1 query · 3,503 rows read · $0.0123 · 2.3 s · done
`);
  });

  it("says when the offline model answered, and how to have Claude", () => {
    const run = aRun({ model: "offline" });
    expect(renderReport(run, context)).toContain(
      "\nAnswered by the offline model (set ANTHROPIC_API_KEY for Claude).\n",
    );
    expect(renderReport(run, { ...context, hasAnthropicKey: true })).toContain("\nAnswered by the offline model.\n");
    expect(renderReport({ ...run, outcome: "failed" }, context)).toContain("Handled by the offline model");
  });

  it("A7: any other ending says what it is, and a partial answer is marked as one", () => {
    const stopped = aRun({
      outcome: "stopped",
      stop_reason: "max_steps",
      answer: null,
      message: "Stopped: the limit of 3 steps was reached.",
      partial_answer: "About 3,500.",
    });
    expect(renderReport(stopped, { ...context, table: null })).toBe(`Stopped: the limit of 3 steps was reached.

Partial answer, written when a limit was reached:
About 3,500.

2 steps · 1 query · 3,503 rows read · $0.0123 · 2.3 s · max_steps
`);
    expect(exitCodeOf(stopped)).toBe(1);
    expect(exitCodeOf(aRun())).toBe(0);
    expect(exitCodeOf(aRun({ outcome: "cancelled" }))).toBe(1);
  });

  it("says of calls whose bill never came that they cost that much at the most", () => {
    const run = aRun({ usage: { reserved_usd: 0, unbilled_usd: 0.01 } });
    expect(renderReport(run, context)).toContain("· up to $0.0123 ·");
  });

  it("says what a call in flight at the end may still cost", () => {
    const run = aRun({
      outcome: "cancelled",
      stop_reason: "cancelled",
      usage: { reserved_usd: 0.125, unbilled_usd: 0 },
    });
    expect(renderReport(run, context)).toContain("· $0.0123 and up to $0.1250 for a call in flight ·");
  });

  it("warnings stand below the receipt, and nothing in any text reaches the terminal raw", () => {
    const text = renderReport(
      aRun({ answer: "an\x1b[31mswer", warnings: ["Answered without \x07querying."], stop_reason: "do\x1bne" }),
      context,
    );
    expect(text).toContain("Note: Answered without ␇querying.");
    expect(text).not.toContain("\x1b");
  });

  it("shows the result that the answer rests on, else the last one there is", () => {
    const query = (result: string | null) => ({ sql: "SELECT 1", result });
    const withReceipt = (results: string[], queries: ReturnType<typeof query>[]) =>
      aRun({ receipt: { ...aRun().receipt, results, queries } });
    expect(lastResultOf(withReceipt(["r1"], [query("r1"), query("r2")]))).toBe("r1");
    expect(lastResultOf(withReceipt([], [query("r1"), query("r2"), query(null)]))).toBe("r2");
    expect(lastResultOf(withReceipt([], [query(null)]))).toBeNull();
  });
});
