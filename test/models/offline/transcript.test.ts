import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/agent/model.ts";
import { listedTables, readTranscript, shownRows } from "../../../src/models/offline/transcript.ts";
import { CLINIC } from "./examples.ts";
import { requestFor } from "./harness.ts";

const question: Message = {
  role: "user",
  text: "How many doctors are there?\n\n(You have 12 steps and 8 tool calls; 3 failing calls in a row end the run.)",
};

function exchange(name: string, input: unknown, content: string, isError = false): Message[] {
  return [
    { role: "assistant", content: [], text: "", calls: [{ id: "c1", name, input }] },
    { role: "tool", results: [{ callId: "c1", content, isError }] },
  ];
}

const rows = { columns: ["n"], rows: [[5]], total_rows: 1, truncated: false };
const envelope = (data: unknown): string =>
  JSON.stringify({
    status: "success",
    summary: "ok",
    data,
    next_actions: [],
    artifacts: [{ kind: "result", ref: "r1", rows: 1 }],
  });

describe("reading a transcript", () => {
  it("takes the question without the words about limits", () => {
    expect(readTranscript(requestFor(CLINIC, [question])).question).toBe("How many doctors are there?");
  });

  it("pairs calls with what they gave", () => {
    const transcript = readTranscript(
      requestFor(CLINIC, [question, ...exchange("execute_read_only_sql", { sql: "SELECT 5 AS n" }, envelope(rows))]),
    );
    const [call] = transcript.calls;
    expect(call).toMatchObject({ status: "success", ref: "r1", input: { sql: "SELECT 5 AS n" } });
    expect(call === undefined ? null : shownRows(call)).toEqual({
      columns: ["n"],
      rows: [[5]],
      totalRows: 1,
      truncated: false,
    });
    expect(transcript.steps).toBe(1);
  });

  it("an error, a broken envelope and another tool's data are no rows", () => {
    for (const content of ["not json", "null", "[]", JSON.stringify({ status: "error", data: rows })]) {
      const [call] = readTranscript(
        requestFor(CLINIC, [question, ...exchange("execute_read_only_sql", {}, content)]),
      ).calls;
      expect(call === undefined ? "none" : shownRows(call)).toBeNull();
    }
    const [other] = readTranscript(
      requestFor(CLINIC, [question, ...exchange("read_result", {}, envelope(rows))]),
    ).calls;
    expect(other === undefined ? "none" : shownRows(other)).toBeNull();
  });

  it("knows what a probe found from its result alone", () => {
    const probe = {
      columns: ["looked_for", "Patient.City"],
      rows: [["gent", "Gent"]],
      total_rows: 1,
      truncated: false,
    };
    const transcript = readTranscript(
      requestFor(CLINIC, [question, ...exchange("execute_read_only_sql", {}, envelope(probe))]),
    );
    expect(transcript.probed.get("gent")).toEqual([
      { table: "Patient", columns: ["City"], values: ["Gent"], whole: true },
    ]);
  });

  it("adds tables described later", () => {
    const described = exchange(
      "describe_tables",
      { tables: ["Ward"] },
      envelope({ schema: "table Ward (2 rows)\n  Id INTEGER primary key" }),
    );
    expect(
      readTranscript(requestFor(CLINIC, [question, ...described])).graph.tables.map((table) => table.name),
    ).toContain("Ward");
  });

  it("reads names that list_tables found", () => {
    const [call] = readTranscript(
      requestFor(CLINIC, [question, ...exchange("list_tables", {}, envelope({ tables: [{ name: "Ward" }, 5] }))]),
    ).calls;
    expect(call === undefined ? [] : listedTables(call)).toEqual(["Ward"]);
  });
});
