/** B29: a family of queries that fails twice gets a hint, and only then. */
import { describe, expect, it } from "vitest";
import type { Prepared } from "../../src/agent/dispatch.ts";
import { familyHint, noteTurn, toTurn } from "../../src/agent/families.ts";
import { failure, success } from "../../src/agent/observation.ts";
import { NOTHING_FORESEEN, type ToolOutput } from "../../src/agent/tool.ts";
import { answering, calling, functionModel, querying, saying } from "../fakes/function-model.ts";
import { createMemoryRun, finalAnswerTool, type MemoryRun, queryTool } from "../fakes/memory-run.ts";

const DESCRIBE = ["execute_read_only_sql", "describe_tables"];
const failures = (...turns: readonly (readonly string[])[]): readonly string[] =>
  turns.reduce<readonly string[]>((failing, tables) => noteTurn(failing, { tables, failed: true }), []);

describe("noteTurn", () => {
  it("remembers each failure, and forgets those of a family that has worked since, and no others", () => {
    const failing = failures(["t"], ["u"], ["t"]);
    expect(failing).toHaveLength(3);
    const left = noteTurn(failing, { tables: ["T"], failed: false });
    expect(left).toEqual(failures(["u"]));
  });

  it("keeps the very list when nothing has changed, so that a run in which all goes well stores nothing", () => {
    const none: readonly string[] = [];
    expect(noteTurn(none, { tables: ["t"], failed: false })).toBe(none);
    expect(noteTurn(none, { tables: [], failed: true })).toBe(none);
    const failing = failures(["t"]);
    expect(noteTurn(failing, { tables: ["u"], failed: false })).toBe(failing);
    expect(noteTurn(failing, { tables: [], failed: false })).toBe(failing);
  });

  it("is bounded, oldest out", () => {
    const many = failures(...Array.from({ length: 40 }, (_, index) => [`t${index}`]));
    expect(many).toHaveLength(32);
    expect(many[0]).toBe(failures(["t8"])[0]);
    expect(many.at(-1)).toBe(failures(["t39"])[0]);
  });
});

describe("toTurn", () => {
  const call = { id: "c1", name: "execute_read_only_sql", input: {} };
  const checked = {
    signature: "s",
    family: () => ["t"],
    foresee: async () => NOTHING_FORESEEN,
    run: () => Promise.reject(new Error("not run here")),
  };
  const ready: Prepared = { kind: "ready", call, name: call.name, checked, note: null };
  const refused: Prepared = { kind: "refused", call, observation: failure("No.", []), refusedBy: null };
  const query = { sql: "", durationMs: 0, rowsRead: 0, rows: 0, error: null, ref: null };
  const worked: ToolOutput = { observation: success("1 row."), rowsRead: 0, query };
  const fault: ToolOutput = { observation: failure("No.", []), rowsRead: 0, query, isOwnFault: true };

  it.each<[string, Prepared, ToolOutput, readonly string[], readonly string[]]>([
    ["a query that failed by its own fault", ready, fault, [], ["t"]],
    ["one that failed by the database's", ready, { ...fault, isOwnFault: false }, ["x"], []],
    ["one that does not say by whose", ready, { observation: failure("No.", []), rowsRead: 0, query }, ["x"], []],
    ["one that worked while a family fails", ready, worked, ["x"], ["t"]],
    ["one that worked while none does", ready, worked, [], []],
    ["a call that is no query", ready, { ...worked, query: null }, ["x"], []],
    ["a call that was refused", refused, fault, ["x"], []],
  ])("B29: %s", (_what, prepared, output, failing, tables) => {
    const failed = output.observation.status === "error";
    expect(toTurn(prepared, output, failing)).toEqual({ tables, failed });
  });
});

describe("familyHint", () => {
  it.each<[string, readonly string[], readonly string[], boolean]>([
    ["the first failure", [], ["t"], false],
    ["the second of the family", failures(["t"]), ["t"], true],
    ["the second, in another case and order", failures(["t", "U"]), ["u", "T"], true],
    ["the first of another family", failures(["t"]), ["u"], false],
    ["the first of a wider family", failures(["t"]), ["t", "u"], false],
    ["the third: it has been said", failures(["t"], ["t"]), ["t"], false],
    ["a query without tables", failures(["t"]), [], false],
  ])("B29: after %s", (_when, failing, tables, isHinted) => {
    expect(familyHint(failing, tables, DESCRIBE) !== null).toBe(isHinted);
  });

  it("says what the model itself can do: describe the tables, or go back to what worked; nothing that is for people", () => {
    const hint = familyHint(failures(["Album", "t"]), ["Album", "t"], DESCRIBE);
    expect(hint).toContain('call describe_tables with {"tables":["Album","t"]}');
    expect(hint).toContain("go back to the last query that worked");
    expect(hint).not.toMatch(/rewind|fork/i);
  });

  it("names no tool that the run has not got, and stays short whatever the names", () => {
    const tables = Array.from({ length: 30 }, (_, index) => `${index}${"n".repeat(500)}`);
    const hint = familyHint(failures(tables), tables, ["execute_read_only_sql"]);
    expect(hint).not.toContain("describe_tables");
    expect(hint).toContain("go back to the last query that worked");
    expect(hint?.length).toBeLessThan(600);
  });
});

const describeTool = queryTool(() => ({ columns: [], rows: [] }));
const tools = [
  queryTool((sql) => (sql.includes("bad") ? new Error("no such column: bad") : { columns: ["sql"], rows: [[sql]] })),
  { ...describeTool, name: "describe_tables" },
  finalAnswerTool,
];
const HINT = "This is the second failure of a query over";

/** Each step's hints, as the model sees them. */
async function hintsOf(queries: readonly (readonly string[])[]): Promise<{ hints: boolean[][]; run: MemoryRun }> {
  const replies = [
    ...queries.map((sqls) => calling(...sqls.map((sql) => ["execute_read_only_sql", { sql }] as [string, object]))),
    answering("Done."),
  ];
  const model = functionModel((_request, call) => replies[call] ?? saying("x"));
  const run = createMemoryRun(model, { tools, limits: { max_errors: 8, max_consecutive_errors: 8, max_hops: 20 } });
  await run.finish();
  const told = run.messages().flatMap((message) => (message.role === "tool" ? [message.results] : []));
  return { hints: told.slice(0, queries.length).map((round) => round.map((one) => one.content.includes(HINT))), run };
}

describe("B29 in a run", () => {
  it.each<[string, readonly (readonly string[])[], readonly (readonly boolean[])[]]>([
    ["fails twice, spelt otherwise", [["SELECT bad FROM t"], ["select bad2 from T x where 1"]], [[false], [true]]],
    ["fails once", [["SELECT bad FROM t"], ["SELECT 1 FROM t"]], [[false], [false]]],
    ["is another one", [["SELECT bad FROM t"], ["SELECT bad FROM u"]], [[false], [false]]],
    [
      "worked in between",
      [["SELECT bad FROM t"], ["SELECT 1 FROM t"], ["SELECT bad2 FROM t"]],
      [[false], [false], [false]],
    ],
    [
      "fails twice with another family working in between",
      [["SELECT bad FROM t"], ["SELECT 1 FROM u"], ["SELECT bad2 FROM t"]],
      [[false], [false], [true]],
    ],
    ["fails twice in one reply", [["SELECT bad FROM t", "SELECT bad2 FROM t"]], [[false, true]]],
    [
      "fails three times",
      [["SELECT bad FROM t"], ["SELECT bad2 FROM t"], ["SELECT bad3 FROM t"]],
      [[false], [true], [false]],
    ],
  ])("the hint comes when a family %s, and only then", async (_what, queries, expected) => {
    const { hints, run } = await hintsOf(queries);
    expect(hints).toEqual(expected);
    expect(run.state().ending?.outcome).toBe("answered");
  });

  it("the count lives in the state, so it survives eviction, and a run in which nothing fails stores none of it", async () => {
    const { run } = await hintsOf([["SELECT bad FROM t"]]);
    expect(run.state().failing).toHaveLength(1);
    const { run: clean } = await hintsOf([["SELECT 1 FROM t"], ["SELECT 1 FROM u"]]);
    expect(clean.state().failing).toEqual([]);
  });

  it("while nothing fails, no query is read for its tables", async () => {
    let read = 0;
    const counting = queryTool((sql) => (sql.includes("bad") ? new Error("no") : { columns: ["n"], rows: [[1]] }));
    const watched: typeof counting = {
      ...counting,
      inputSchema: counting.inputSchema,
      check: (input) => {
        const checked = counting.check(input);
        if (!checked.ok) return checked;
        const { family } = checked.value;
        const counted = (): readonly string[] => {
          read += 1;
          return family();
        };
        return { ok: true, value: { ...checked.value, family: counted } };
      },
    };
    const replies = [querying("SELECT 1 FROM t"), querying("SELECT 2 FROM t"), answering("Done.")];
    const model = functionModel((_request, call) => replies[call] ?? saying("x"));
    const run = createMemoryRun(model, { tools: [watched, finalAnswerTool] });
    await run.finish();
    expect(run.state().queriesAnswered).toBe(2);
    expect(read).toBe(0);
  });
});
