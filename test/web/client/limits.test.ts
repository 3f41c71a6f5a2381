import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX } from "../../../src/agent/limits.ts";
import { ASK_FIELDS, fieldsToRaise, proposeLimit, readApproval, readLimits } from "../../../src/web/client/limits.ts";

const LIMITS = { ...DEFAULT_LIMITS };
const USAGE = { cost_usd: 0.49, rows_read: 100, model_calls: 3 };

describe("limits on the page", () => {
  test("the fields are limits that the API knows", () => {
    for (const { name } of ASK_FIELDS) expect(Object.keys(DEFAULT_LIMITS)).toContain(name);
  });

  test.each([
    ["max_steps", ["max_steps"]],
    ["max_hops", ["max_hops"]],
    ["timeout", ["wall_clock_s"]],
    ["retry_ceiling", ["max_consecutive_errors"]],
    ["error_budget", ["max_errors"]],
    ["budget", ["budget_usd"]],
    ["cycle", []],
    [null, []],
  ])("after %s it proposes to raise %j", (reason, names) => {
    const fields = fieldsToRaise(reason, LIMITS, USAGE);
    expect(fields.map((field) => field.name)).toEqual(names);
    for (const { name } of fields) expect(Object.keys(DEFAULT_LIMITS)).toContain(name);
  });

  test("a budget of rows or of calls that is used up is raised instead of the dollars", () => {
    const rows = fieldsToRaise("budget", LIMITS, { ...USAGE, rows_read: DEFAULT_LIMITS.max_rows_read });
    expect(rows.map((field) => field.name)).toEqual(["max_rows_read"]);
    expect([proposeLimit(0.5), proposeLimit(12)]).toEqual([1, 24]);
  });

  test("no more is proposed than may be asked for", () => {
    expect([proposeLimit(3, 5), proposeLimit(2, 5), proposeLimit(5, 5)]).toEqual([5, 4, 5]);
  });

  test("fields are numbers above zero, or left out", () => {
    expect(readLimits({ budget_usd: " 0,25 ", max_steps: "", wall_clock_s: "60" }, null)).toEqual({
      ok: true,
      limits: { budget_usd: 0.25, wall_clock_s: 60 },
    });
    for (const text of ["0", "-1", "x", "1e999"]) {
      expect(readLimits({ budget_usd: text }, null)).toEqual({
        ok: false,
        detail: "Budget, dollars: enter a number above zero.",
      });
    }
  });

  test.each([
    [{ max_steps: "2.5" }, "Steps: enter a whole number."],
    [{ max_steps: "129" }, "Steps: 128 is the most you may ask for."],
    [{ wall_clock_s: "60", budget_usd: "5.01" }, "Budget, dollars: 5 is the most you may ask for."],
  ])("%j is refused before it is sent", (texts, detail) => {
    expect(readLimits(texts, { ...DEFAULT_LIMITS_MAX, budget_usd: 5, max_steps: 128 })).toEqual({ ok: false, detail });
  });

  test("a field at its maximum is right, and so is one whose maximum is not known", () => {
    expect(readLimits({ max_steps: "128" }, { max_steps: 128 }).ok).toBe(true);
    expect(readLimits({ max_steps: "1000" }, null).ok).toBe(true);
  });
});

describe("rows above which to ask", () => {
  test.each([
    ["", null, { ok: true, rows: null }],
    ["0", null, { ok: true, rows: 0 }],
    [" 5000 ", 5_000, { ok: true, rows: 5_000 }],
    ["5001", 5_000, { ok: false, detail: "At most 5000: above that a query always waits." }],
    ["-1", null, { ok: false, detail: "Enter a whole number, 0 for every query." }],
    ["1.5", null, { ok: false, detail: "Enter a whole number, 0 for every query." }],
    ["many", null, { ok: false, detail: "Enter a whole number, 0 for every query." }],
  ])("%j under %j is %j", (text, max, expected) => {
    expect(readApproval(text, max)).toEqual(expected);
  });
});
