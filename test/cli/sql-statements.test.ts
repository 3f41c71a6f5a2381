import { describe, expect, it } from "vitest";
import { splitStatements } from "../../src/cli/sql-statements.ts";

const cut = (script: string) => [...splitStatements(script)].map((each) => each.text.trim());

describe("splitStatements", () => {
  it.each([
    ["a string", "SELECT 'a;b'; SELECT 2", ["SELECT 'a;b';", "SELECT 2"]],
    ["a doubled quote", "SELECT 'it''s;'; SELECT 2;", ["SELECT 'it''s;';", "SELECT 2;"]],
    ["a quoted name", 'SELECT "a;b", [c;d], `e;f`; SELECT 2;', ['SELECT "a;b", [c;d], `e;f`;', "SELECT 2;"]],
    ["a line comment", "SELECT 1 -- one; two\n; SELECT 2;", ["SELECT 1 -- one; two\n;", "SELECT 2;"]],
    ["a block comment", "SELECT /* ; ' */ 1; SELECT 2;", ["SELECT /* ; ' */ 1;", "SELECT 2;"]],
  ])("a semicolon inside %s ends nothing", (_what, script, expected) => {
    expect(cut(script)).toEqual(expected);
  });

  it("a trigger ends at the END that follows a semicolon, not at the END of a CASE", () => {
    const trigger =
      "CREATE /* c */ TEMP TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x = CASE WHEN 1 THEN 2 END; DELETE FROM b; -- ;\nEND;";
    expect(cut(`${trigger} SELECT 1;`)).toEqual([trigger, "SELECT 1;"]);
  });

  it("a table whose name starts like a trigger is an ordinary statement", () => {
    expect(cut("CREATE TABLE trigger_log(a); SELECT 1;")).toEqual(["CREATE TABLE trigger_log(a);", "SELECT 1;"]);
  });

  it("comments and lone semicolons are no statements", () => {
    expect(cut(";; -- only this\n/* and this */ ;\n")).toEqual([]);
    expect(cut("")).toEqual([]);
  });

  it("an unfinished string or comment runs to the end of the script", () => {
    expect(cut("SELECT 1; SELECT 'open; DROP TABLE t;")).toEqual(["SELECT 1;", "SELECT 'open; DROP TABLE t;"]);
    expect(cut("SELECT 1; SELECT 2 /* open; ")).toEqual(["SELECT 1;", "SELECT 2 /* open;"]);
  });

  it("the line is that of the statement's first word, not of the comment before it", () => {
    const lines = [...splitStatements("-- head\n\nSELECT\n1;\n/* two\nlines */ SELECT 2;\nSELECT 3")].map(
      (s) => s.line,
    );
    expect(lines).toEqual([3, 6, 7]);
  });

  it("a string of a million characters is read in one go", () => {
    const long = `SELECT '${"x;''".repeat(500_000)}';`;
    expect(cut(`${long}SELECT 2;`)).toEqual([long, "SELECT 2;"]);
  });
});
