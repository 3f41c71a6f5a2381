/** What D1's errors mean, by their documented texts. */
import { describe, expect, it } from "vitest";
import { classifyError } from "../../src/sql/failure.ts";
import { toSqlError } from "../../src/sql/hints.ts";

const d1 = (message: string) => new Error(`D1_ERROR: ${message}`, { cause: new Error(message) });

describe("classifyError", () => {
  it.each([
    ["retryable", d1("Network connection lost.")],
    ["retryable", d1("Internal error in D1 storage caused object to be reset.")],
    ["retryable", d1("D1 DB reset because its code was updated.")],
    ["retryable", d1("Internal error while starting up D1 DB storage caused object to be reset.")],
    ["retryable", d1("Cannot resolve D1 DB due to transient issue on remote node.")],
    ["retryable", d1("Can't read from request stream because client disconnected.")],
    ["retryable", Object.assign(new Error("object was reset"), { retryable: true })],
    ["busy", d1("D1 DB is overloaded. Requests queued for too long.")],
    ["busy", d1("D1 DB is overloaded. Too many requests queued.")],
    ["too_heavy", d1("D1 DB storage operation exceeded timeout which caused object to be reset.")],
    ["too_heavy", d1("D1 DB's isolate exceeded its memory limit and was reset.")],
    ["too_heavy", d1("D1 DB exceeded its CPU time limit and was reset.")],
    ["statement", d1("no such column: x at offset 7: SQLITE_ERROR")],
    ["statement", d1("no such table: overloaded: SQLITE_ERROR")],
    ["statement", d1("no such column: network connection lost: SQLITE_ERROR")],
    ["statement", d1("not authorized: SQLITE_AUTH")],
    ["statement", d1("string or blob too big: SQLITE_TOOBIG")],
    ["statement", new Error("Wrong number of parameter bindings for SQL query.")],
    ["bug", new TypeError("Cannot read properties of undefined")],
    ["bug", new Error("something of ours")],
    ["bug", "a string"],
  ])("C26, A16: takes it for %s: %s", (kind, error) => {
    expect(classifyError(error).kind).toBe(kind);
  });
});

describe("toSqlError", () => {
  const told = (message: string) => {
    const failure = classifyError(d1(message));
    if (failure.kind === "bug") throw new Error("a bug is never told");
    return toSqlError(failure, { tables: [] }, "SELECT 1");
  };

  it("D9: an overloaded database is busy, and no query is to blame", () => {
    expect(told("D1 DB is overloaded. Requests queued for too long.")).toMatchObject({
      code: "database_busy",
      transient: true,
    });
    expect(told("D1 DB is overloaded.").message).toContain("busy");
  });

  it("blames the model for its own statements only", () => {
    expect(told("Network connection lost.")).toMatchObject({ code: "database_unreachable", transient: true });
    expect(told("D1 DB exceeded its CPU time limit and was reset.")).toMatchObject({
      code: "query_too_heavy",
      transient: false,
    });
    expect(told('near "x": syntax error at offset 3: SQLITE_ERROR')).toMatchObject({
      code: "syntax_error",
      transient: false,
    });
    for (const message of ["Network connection lost.", "exceeded timeout", "overloaded"])
      expect(told(message).advice.length).toBeGreaterThan(0);
  });
});
