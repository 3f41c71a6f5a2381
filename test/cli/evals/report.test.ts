import { describe, expect, it } from "vitest";
import { compareReports, renderEvalReport, reportSchema, toReport } from "../../../src/cli/evals/report.ts";
import type { Attempt } from "../../../src/cli/evals/run-set.ts";

function attempt(id: string, passed: boolean, fields: Partial<Attempt> = {}): Attempt {
  const cost = { usd: 0.01, seconds: 1, steps: 2, queries: 1, rowsRead: 100, modelCalls: 2, tokens: 1_000, waste: 0 };
  return { id, tags: ["easy"], passed, why: passed ? "" : "other rows", stopReason: "done", ...cost, ...fields };
}

describe("the report", () => {
  const attempts = [
    attempt("a", true),
    attempt("a", false),
    attempt("b", true, { tags: ["hard"] }),
    attempt("b", true),
  ];
  const report = toReport("demo", "m", 2, attempts);

  it("has accuracy with its interval, pass@k and pass^k, by tag, and each miss with its reason", () => {
    expect(report).toMatchObject({
      questions: 2,
      accuracy: 0.75,
      pass_at_k: 1,
      pass_hat_k: 0.5,
      failed: { a: "other rows" },
    });
    expect(report.interval[0]).toBeLessThanOrEqual(0.75);
    expect(report.interval[1]).toBeGreaterThanOrEqual(0.75);
    expect(report.by_tag).toMatchObject({
      easy: { questions: 2, accuracy: 2 / 3, interval: [0.5, 1] },
      hard: { questions: 1, accuracy: 1, interval: [1, 1] },
    });
    expect(report.usd.total).toBeCloseTo(0.04);
    expect(report.stop_reasons).toEqual({ done: 4 });
  });

  it("is the same after a round through JSON, and its table holds the figures", () => {
    expect(reportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
    const table = renderEvalReport(report);
    expect(table).toContain("accuracy 75.0 %");
    expect(table).toMatch(/a: other rows/);
  });

  it("is worse than a baseline by accuracy, dollars or steps beyond the tolerance, never by luck within it", () => {
    expect(compareReports(report, report, 0.02)).toEqual([]);
    expect(compareReports(report, { ...report, accuracy: 0.76 }, 0.02)).toEqual([]);
    expect(compareReports(report, { ...report, accuracy: 0.8 }, 0.02)).toEqual([expect.stringMatching(/^accuracy/)]);
    const cheaper = { ...report, usd: { ...report.usd, total: 0.03 } };
    expect(compareReports(report, cheaper, 0.02)).toEqual([expect.stringMatching(/^dollars/)]);
    const shorter = { ...report, steps: { ...report.steps, total: 7 } };
    expect(compareReports(report, shorter, 0.02)).toEqual([expect.stringMatching(/^steps/)]);
  });

  it("a baseline from before tags had intervals is still a baseline", () => {
    const { easy: _easy, ...rest } = report.by_tag;
    const old = reportSchema.parse({ ...report, by_tag: { ...rest, easy: { questions: 2, accuracy: 0.5 } } });
    expect(compareReports(report, old, 0.02)).toEqual([]);
    expect(renderEvalReport(report)).toContain("66.7 %  (50.0 % to 100.0 %)");
    expect(renderEvalReport(old)).toMatch(/easy +2 +50\.0 %$/m);
  });

  it("of another set, model or number of questions is no baseline", () => {
    expect(compareReports(report, { ...report, model: "x" }, 0.02)).toEqual([expect.stringMatching(/another/)]);
    expect(compareReports(report, { ...report, questions: 3 }, 0.02)).toEqual([expect.stringMatching(/another/)]);
  });
});
