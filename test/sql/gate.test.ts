/** The gate's text layers: what they let pass and what they refuse, by grammar position and never by words. */
import { expect, test } from "vitest";
import { checkQuery, normalizeSql } from "../../src/sql/gate.ts";

test("A1: a WITH … SELECT is a read", () => {
  expect(checkQuery("WITH m AS (SELECT * FROM t JOIN u ON u.t_id=t.id) SELECT count(*) FROM m").ok).toBe(true);
});

test("signatures do not depend on case, blanks, comments and semicolons", () => {
  expect(normalizeSql("SELECT  A /* x */ FROM t; -- done\n")).toBe(normalizeSql("select a\nfrom T;;"));
});
