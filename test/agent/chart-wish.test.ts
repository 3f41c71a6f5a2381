/** The stored wish for a picture: strict, and of kinds that can be drawn or are a table. */
import { describe, expect, it } from "vitest";
import { CHART_KINDS, chartWishSchema } from "../../src/agent/chart-wish.ts";
import { KIND_NAMES } from "../../src/web/chart-text.ts";

describe("chartWishSchema", () => {
  it.each(CHART_KINDS)("holds %s, of one result or of any", (kind) => {
    expect(chartWishSchema.parse({ kind, result: "r2" })).toEqual({ kind, result: "r2" });
    expect(chartWishSchema.parse({ kind, result: null })).toEqual({ kind, result: null });
  });

  it.each([{}, { kind: "pie", result: null }, { kind: "bar" }, { kind: "bar", result: null, x: 1 }])(
    "refuses %j",
    (wish) => {
      expect(chartWishSchema.safeParse(wish).success).toBe(false);
    },
  );

  it("has the kinds that can be drawn, and the table", () => {
    expect([...CHART_KINDS].sort()).toEqual([...Object.keys(KIND_NAMES), "table"].sort());
  });
});
