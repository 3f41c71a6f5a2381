import { describe, expect, it } from "vitest";
import { columnOfRef, isTableRef, labelsOfTable, nodeOf, tableOfRef } from "../../../src/models/offline/resolve.ts";
import { CLINIC, contextOf, itemsOf } from "./examples.ts";

const context = contextOf(CLINIC);

describe("what a reference means", () => {
  it("tells a table from a column", () => {
    const [table] = itemsOf(CLINIC, "doctors");
    const [column] = itemsOf(CLINIC, "salary");
    expect(table?.kind === "ref" ? tableOfRef(table)?.name : null).toBe("Doctor");
    expect([isTableRef(table), isTableRef(column)]).toEqual([true, false]);
  });

  it("takes the column of the table at hand", () => {
    const [name] = itemsOf(CLINIC, "name");
    const near = (table: string) => (name?.kind === "ref" ? columnOfRef(name, context, [table])?.table : null);
    expect([near("Medication"), near("Department")]).toEqual(["Medication", "Department"]);
  });

  it("a row goes by its names, else by its key", () => {
    const names = (table: string) => labelsOfTable(nodeOf(context, table)).map((column) => column.name);
    expect(names("Doctor")).toEqual(["FirstName", "LastName"]);
    expect(names("Prescription")).toEqual(["AppointmentId", "MedicationId"]);
  });

  it("a table that is not there is a bug of ours", () => {
    expect(() => nodeOf(context, "Nowhere")).toThrow("Nowhere");
  });
});
