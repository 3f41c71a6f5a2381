import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tellAttempts, tellFindings } from "../../src/agent/findings.ts";
import type { Message } from "../../src/agent/model.ts";
import { failure, success } from "../../src/agent/observation.ts";
import type { StoredResult } from "../../src/agent/tool.ts";
import { byteLength } from "../../src/lib/bytes.ts";
import { callOf } from "./states.ts";

function resultWith(parts: Partial<StoredResult> = {}): StoredResult {
  return {
    ref: "r1",
    sha256: "0",
    sql: "SELECT n FROM t",
    columns: ["n"],
    rows: [[1]],
    totalRows: 1,
    truncated: false,
    ...parts,
  };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => [index + 1]);

describe("tellFindings", () => {
  it("A31: tells a result in words: its reference, its SQL on one line, its rows", () => {
    const result = resultWith({
      sql: "SELECT name,\n       n\nFROM t ",
      columns: ["name", "n", "big"],
      rows: [
        ["Anna", 3, { type: "integer", text: "9007199254740993" }],
        [null, 0.5, { type: "blob", blob: 2, hex: "00ff" }],
      ],
    });
    expect(tellFindings([result], 1_000)).toBe(
      'Result r1 (2 rows) of: SELECT name, n FROM t\n- name: Anna, n: 3, big: 9007199254740993\n- name: NULL, n: 0.5, big: {"type":"blob","blob":2,"hex":"00ff"}',
    );
  });

  it.each([
    [5, 0],
    [6, 1],
    [300, 295],
  ])("of %s rows it tells five, and says that %s more are there", (count, more) => {
    const told = tellFindings([resultWith({ rows: numbered(count) })], 10_000) ?? "";
    expect(told.match(/^- n: /gm)).toHaveLength(5);
    expect(told.includes("more rows")).toBe(more > 0);
    if (more > 0) expect(told).toContain(`- … ${more} more rows`);
  });

  it("says when nobody knows how many rows there are, and when there are none", () => {
    expect(tellFindings([resultWith({ rows: numbered(2), truncated: true })], 1_000)).toContain("(2 or more rows)");
    expect(tellFindings([resultWith({ rows: [] })], 1_000)).toBe("Result r1 (no rows) of: SELECT n FROM t");
    expect(tellFindings([resultWith({ rows: numbered(1) })], 1_000)).toContain("(1 row)");
    expect(tellFindings([resultWith({ rows: numbered(1), truncated: true })], 1_000)).toContain("(1 or more rows)");
  });

  it("tells the four latest results, newest first", () => {
    const results = [1, 2, 3, 4, 5].map((n) => resultWith({ ref: `r${n}` }));
    const refs = tellFindings(results, 10_000)?.match(/\br\d\b/g);
    expect(refs).toEqual(["r5", "r4", "r3", "r2"]);
  });

  it("nothing found is null, not an empty text", () => {
    expect(tellFindings([], 1_000)).toBeNull();
    expect(tellFindings([resultWith({ columns: [], rows: [] })], 1_000)).toBeNull();
  });

  it("a row that is shorter than its columns reads NULL, not undefined", () => {
    expect(tellFindings([resultWith({ columns: ["a", "b"], rows: [[1]] })], 1_000)).toContain("- a: 1, b: NULL");
  });

  it("is never longer than asked for, whatever is in the rows", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 9 }),
        fc.nat(300),
        (cells, max) => {
          const told = tellFindings([resultWith({ rows: cells.map((cell) => [cell]) })], max) ?? "";
          expect(byteLength(told)).toBeLessThanOrEqual(max);
          expect(told.isWellFormed()).toBe(true);
        },
      ),
    );
  });

  it("does not change the results it is given", () => {
    const results = [resultWith({ ref: "r1" }), resultWith({ ref: "r2" })];
    tellFindings(results, 1_000);
    expect(results.map(({ ref }) => ref)).toEqual(["r1", "r2"]);
  });
});

describe("tellAttempts", () => {
  const round = (sql: string, content: string, isError: boolean): Message[] => [
    { role: "assistant", content: [], text: "", calls: [callOf("c1", sql)] },
    { role: "tool", results: [{ callId: "c1", content, isError }] },
  ];
  const good = (sql: string) => round(sql, JSON.stringify(success("1 row.")), false);
  const bad = (sql: string) => round(sql, JSON.stringify(failure("No such column.", [])), true);

  it("B38: one line a call: what was asked and what came of it, oldest first", () => {
    const messages: Message[] = [{ role: "user", text: "How many?" }, ...bad("SELECT x"), ...good("SELECT\n  1")];
    expect(tellAttempts(messages, 1_000, false)).toBe(
      "- execute_read_only_sql: SELECT x → No such column.\n- execute_read_only_sql: SELECT 1 → 1 row.",
    );
    expect(tellAttempts(messages, 1_000, true)).toBe("- execute_read_only_sql: SELECT x → No such column.");
  });

  it("tells a repeated call once, and the twelve newest of many", () => {
    expect(tellAttempts([...good("a"), ...good("a"), ...good("a")], 1_000, false)?.split("\n")).toHaveLength(1);
    const many = Array.from({ length: 13 }, (_, index) => good(`q${index}`)).flat();
    const lines = tellAttempts(many, 10_000, false)?.split("\n") ?? [];
    expect(lines).toHaveLength(12);
    expect(lines[0]).toContain("q1 ");
  });

  it("a call without SQL is told by its arguments, a long one in part", () => {
    const messages: Message[] = [
      { role: "assistant", content: [], text: "", calls: [{ id: "c1", name: "read_result", input: { ref: "r1" } }] },
      { role: "tool", results: [{ callId: "c1", content: JSON.stringify(success("Rows.")), isError: false }] },
    ];
    expect(tellAttempts(messages, 1_000, false)).toBe('- read_result: {"ref":"r1"} → Rows.');
    const long = tellAttempts(good("x".repeat(2_000)), 10_000, false) ?? "";
    expect(long).toContain("characters left out");
    expect(long.length).toBeLessThan(500);
  });

  it("nothing tried is null; so is nothing that failed", () => {
    expect(tellAttempts([], 1_000, false)).toBeNull();
    expect(tellAttempts(good("a"), 1_000, true)).toBeNull();
    expect(
      tellAttempts([{ role: "assistant", content: [], text: "", calls: [callOf("c1")] }], 1_000, false),
    ).toBeNull();
  });

  it("is never longer than asked for", () => {
    expect(byteLength(tellAttempts([...good("a"), ...bad("b")], 40, false) ?? "")).toBeLessThanOrEqual(40);
  });
});
