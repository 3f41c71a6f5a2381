import { describe, expect, it } from "vitest";
import { CLINIC, planFor, SHOP, sqlFor } from "./examples.ts";

describe("columns that groups leave open", () => {
  it("the best of each group are numbered within it", () => {
    expect(sqlFor(CLINIC, "Top 2 doctors per department by number of appointments")).toMatch(
      /row_number\(\) OVER \(PARTITION BY .* ORDER BY count\(\*\) DESC\) AS place .* WHERE place <= 2/,
    );
  });

  it("by a column of their own, rows are not grouped at all", () => {
    const sql = sqlFor(CLINIC, "Top 2 doctors per department by salary");
    expect(sql).toMatch(/PARTITION BY .*Department.* ORDER BY .*Salary DESC/);
    expect(sql).not.toContain("GROUP BY");
  });

  it("beside a lone maximum SQLite says whose the columns are", () => {
    expect(sqlFor(CLINIC, "The oldest patient in each city")).toContain("min(BirthDate)");
  });

  it("a row that the group's key points to is no open column", () => {
    expect(sqlFor(CLINIC, "How many appointments does each doctor have?")).not.toContain("place");
  });
});

describe("sums over rows that a join repeats", () => {
  it("are not written: a doctor whom a patient saw twice is paid once", () => {
    expect(planFor(CLINIC, "Total salary of doctors per patient").kind).toBe("not_understood");
  });

  it("a bridge repeats no pair: fees per medication are those of its appointments", () => {
    expect(sqlFor(CLINIC, "Total fee per medication")).toContain("sum(a.Fee)");
  });

  it("sales by product come from the lines, which repeat nothing", () => {
    expect(sqlFor(SHOP, "Revenue per product")).toContain("sum(oi.unit_price * oi.quantity)");
  });
});
