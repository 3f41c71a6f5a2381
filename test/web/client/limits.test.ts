import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/agent/limits.ts";
import { ASK_FIELDS, fieldsToRaise, proposeLimit, readLimits } from "../../../src/web/client/limits.ts";

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

  test("fields are numbers above zero, or left out", () => {
    expect(readLimits({ budget_usd: " 0,25 ", max_steps: "", wall_clock_s: "60" })).toEqual({
      budget_usd: 0.25,
      wall_clock_s: 60,
    });
    for (const text of ["0", "-1", "x", "1e999"]) expect(readLimits({ budget_usd: text })).toBe(null);
  });
});
