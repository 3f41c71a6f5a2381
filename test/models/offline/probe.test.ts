import { describe, expect, it } from "vitest";
import { readProbe, writeProbe } from "../../../src/models/offline/probe.ts";
import { CLINIC, graphOf } from "./examples.ts";
import { openDump, runSql } from "./harness.ts";

const graph = graphOf(CLINIC);
const clinic = openDump(new URL("../../fixtures/offline/clinic.sql", import.meta.url).pathname);

function look(value: string) {
  const rows = runSql(clinic, writeProbe(graph, value) ?? "");
  return readProbe(graph, rows.columns, rows.rows[0]);
}

describe("looking for a value", () => {
  it("finds a value whatever its case and number, with the text as stored", () => {
    expect(look("CARDIOLOGISTS")).toEqual({
      value: "CARDIOLOGISTS",
      matches: [{ table: "Doctor", columns: ["Specialty"], values: ["cardiologist"], whole: true }],
    });
  });

  it("finds a person by first and last name together", () => {
    expect(look("otto green")?.matches).toContainEqual({
      table: "Patient",
      columns: ["FirstName", "LastName"],
      values: ["Otto", "Green"],
      whole: true,
    });
  });

  it("keeps a part of a longer text apart from a whole one, and only at the edge of a word", () => {
    expect(look("Cardio")?.matches).toContainEqual({
      table: "Department",
      columns: ["Name"],
      values: ["Cardiology"],
      whole: false,
    });
    expect(look("ardio")?.matches).toEqual([]);
  });

  it("quotes what it looks for", () => {
    expect(look('O\'Brien "x"')?.matches).toEqual([]);
  });

  it("is one SELECT of at most 100 columns, without a compound", () => {
    const wide = Array.from(
      { length: 40 },
      (_unused, index) => `table t${index} (9 rows)\n  a TEXT\n  b TEXT\n  c TEXT`,
    ).join("\n");
    const sql = writeProbe(graphOf(wide), "x") ?? "";
    expect(sql).not.toMatch(/union/i);
    expect(sql.split("\n").length).toBeLessThanOrEqual(100);
  });

  it("reads no other result as a probe, and has none for a schema without text", () => {
    expect(readProbe(graph, ["Name"], ["x"])).toBeNull();
    expect(writeProbe(graphOf("table t (1 rows)\n  id INTEGER primary key"), "x")).toBeNull();
  });
});
