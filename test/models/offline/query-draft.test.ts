import { describe, expect, it } from "vitest";
import { columnAt, createDraft, sourceOf } from "../../../src/models/offline/query-draft.ts";
import { nodeOf } from "../../../src/models/offline/resolve.ts";
import { CLINIC, contextOf } from "./examples.ts";

const context = contextOf(CLINIC);

describe("a query in the making", () => {
  it("joins the tables on the way, once", () => {
    const draft = createDraft("Prescription", context);
    const patient = sourceOf(draft, 0, "Patient");
    expect(sourceOf(draft, 0, "Patient")).toBe(patient);
    expect(draft.sources.map((source) => source.table)).toEqual(["Prescription", "Appointment", "Patient"]);
    expect(draft.repeats).toBe(false);
  });

  it("remembers that a join to children repeats rows", () => {
    const draft = createDraft("Patient", context);
    sourceOf(draft, 0, "Doctor");
    expect(draft.repeats).toBe(true);
  });

  it("reaches a column wherever it is, and none where no key leads", () => {
    const draft = createDraft("Appointment", context);
    const [, name] = nodeOf(context, "Department").columns;
    expect(name === undefined ? null : columnAt(draft, 0, name)).toMatchObject({ kind: "column", name: "Name" });
    const lonely = contextOf("table a (1 rows)\n  x TEXT\ntable b (1 rows)\n  y TEXT");
    expect(sourceOf(createDraft("a", lonely), 0, "b")).toBeNull();
  });
});
