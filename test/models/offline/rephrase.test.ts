import { describe, expect, it } from "vitest";
import { CLINIC, planFor, SHOP, sqlFor } from "./examples.ts";

describe("short forms, said at length", () => {
  it.each([
    ["Show me the monthly fees", "What are the fees per month?"],
    ["Monthly number of appointments in 2024", "Number of appointments in 2024 per month"],
    ["Annual appointment count", "Number of appointments per year"],
    ["Doctor counts by department", "Number of doctors by department"],
  ])("%s", (short, long) => {
    expect(sqlFor(CLINIC, short)).toBe(sqlFor(CLINIC, long));
    expect(sqlFor(CLINIC, short)).toContain("GROUP BY");
  });

  it("the total of rows that have none of their own is what they came to", () => {
    expect(sqlFor(SHOP, "Order totals per month")).toBe(sqlFor(SHOP, "Revenue per month"));
  });

  it("an average of months is not an average by month", () => {
    const plan = planFor(CLINIC, "What is the average monthly fee?");
    expect(plan.kind === "query" ? plan.intent.unread : ["monthly"]).toContain("monthly");
  });
});
