import { describe, expect, it } from "vitest";
import { checkQuery } from "../../src/sql/gate.ts";

const doubling = (levels: number): string => {
  const tables = Array.from({ length: levels }, (_, level) =>
    level === 0 ? "c0 AS (SELECT 1 AS x)" : `c${level} AS (SELECT a.x FROM c${level - 1} a, c${level - 1} b)`,
  );
  return `WITH ${tables.join(", ")} SELECT count(*) FROM c${levels - 1}`;
};
const codeOf = (sql: string): string | null => {
  const checked = checkQuery(sql);
  return checked.ok ? null : checked.error.code;
};

describe("common tables that unfold", () => {
  it.each([12, 16, 30, 200])("%i that each read the one before twice are refused from the text, at once", (levels) => {
    expect(codeOf(doubling(levels))).toBe("too_many_copies");
  });

  it("a few levels pass", () => {
    expect(codeOf(doubling(8))).toBeNull();
  });

  it("a long chain passes: each is read once", () => {
    const tables = Array.from({ length: 2_000 }, (_, level) =>
      level === 0 ? "c0 AS (SELECT 1)" : `c${level} AS (SELECT * FROM c${level - 1})`,
    );
    expect(codeOf(`WITH ${tables.join(", ")} SELECT * FROM c1999`)).toBeNull();
  });

  it("one table that is read very often by the statement itself passes: the text spells it out", () => {
    const reads = (count: number) =>
      `WITH c AS (SELECT 1 AS x) SELECT ${Array.from({ length: count }, () => "(SELECT x FROM c)").join("+")}`;
    expect(codeOf(reads(60))).toBeNull();
    expect(codeOf(reads(1_100))).toBeNull();
  });

  it("also inside bodies of bodies, and under quoted names of another case", () => {
    const inner = doubling(14).replaceAll("c3 ", '"C3" ');
    expect(codeOf(`WITH outermost AS (${inner}) SELECT * FROM outermost`)).toBe("too_many_copies");
  });

  it("a recursion reads itself and weighs what the rest of it reads", () => {
    expect(
      codeOf("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9) SELECT * FROM c a, c b"),
    ).toBeNull();
  });
});
