import { describe, expect, it } from "vitest";
import type { Condition } from "../../../src/models/offline/intent.ts";
import { nodeOf } from "../../../src/models/offline/resolve.ts";
import {
  chainOf,
  createScope,
  distance,
  isReachedUpwards,
  nearestScope,
  negate,
  place,
  toConditions,
} from "../../../src/models/offline/scopes.ts";
import { CLINIC, contextOf } from "./examples.ts";

const context = contextOf(CLINIC);

function columnNamed(table: string, name: string) {
  const column = nodeOf(context, table).columns.find((each) => each.name === name);
  if (column === undefined) throw new Error(`${table} has no ${name}`);
  return column;
}

const floor = columnNamed("Department", "Floor");
const fee = columnNamed("Appointment", "Fee");
const over = (column: typeof fee): Condition => ({
  kind: "compare",
  column,
  operator: ">",
  value: { kind: "number", text: "5" },
});
const plain = { negated: false, separate: false };

describe("scopes", () => {
  it("a row keeps conditions on what it has one of", () => {
    const doctor = createScope("Doctor", null, true);
    place(context, doctor, floor, over(floor), plain);
    expect(toConditions(context, doctor)).toMatchObject([{ kind: "compare" }]);
  });

  it("what it may have many of shares one scope", () => {
    const doctor = createScope("Doctor", null, true);
    place(context, doctor, fee, over(fee), plain);
    place(context, doctor, columnNamed("Appointment", "Status"), over(fee), plain);
    expect(toConditions(context, doctor)).toMatchObject([
      { kind: "related", table: "Appointment", conditions: [{}, {}] },
    ]);
  });

  it("a named table reached upwards that demands nothing says nothing", () => {
    const doctor = createScope("Doctor", null, true);
    createScope("Department", doctor, true);
    createScope("Appointment", doctor, true);
    expect(toConditions(context, doctor)).toMatchObject([{ table: "Appointment" }]);
  });

  it("conditions go to the nearest scope", () => {
    const patient = createScope("Patient", null, true);
    const appointment = createScope("Appointment", patient, true);
    expect(nearestScope(context, appointment, "Doctor")).toBe(appointment);
    expect(nearestScope(context, appointment, "Patient")).toBe(patient);
    expect(chainOf(appointment)).toEqual([appointment, patient]);
    expect(distance(context, patient, "Patient")).toBe(0);
    expect([
      isReachedUpwards(context, "Appointment", "Department"),
      isReachedUpwards(context, "Department", "Appointment"),
    ]).toEqual([true, false]);
  });

  it("negating twice changes nothing", () => {
    const condition = over(fee);
    expect(negate(condition)).toMatchObject({ operator: "<=" });
    expect(negate(negate(condition))).toEqual(condition);
  });
});
