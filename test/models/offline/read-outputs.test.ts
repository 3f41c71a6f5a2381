import { describe, expect, it } from "vitest";
import { takeOutputs } from "../../../src/models/offline/read-outputs.ts";
import { CLINIC, itemsOf } from "./examples.ts";

function shown(question: string) {
  const items = itemsOf(CLINIC, question);
  const reading = takeOutputs(items, false);
  return reading.targets.map((target) =>
    target.kind === "ref" ? `${target.function ?? ""} ${target.ref.text}`.trim() : target.kind,
  );
}

describe("what a question wants shown", () => {
  it("reads a list of columns with their owner", () => {
    const reading = takeOutputs(itemsOf(CLINIC, "Show the first name, city and phone of all patients"), false);
    expect(reading.targets.map((target) => (target.kind === "ref" ? target.owner?.text : null))).toEqual([
      "patients",
      "patients",
      "patients",
    ]);
  });

  it("stops where conditions begin", () => {
    expect(shown("Which doctors have a salary over 5")).toEqual(["doctors"]);
  });

  it("takes a second sentence about columns instead of the rows", () => {
    expect(shown("Who is the doctor in room 5? Show the last name and the salary.")).toEqual(["last name", "salary"]);
  });

  it("takes more columns behind `and what is`", () => {
    expect(shown("What is the specialty of doctor 3 and what is the salary?")).toEqual(["specialty", "salary"]);
  });

  it("how much money is sales, how much of a column its sum", () => {
    expect(takeOutputs(itemsOf(CLINIC, "How much money did patients spend?"), false).money).toBe(true);
    expect(shown("How much salary do doctors have?")).toEqual(["sum salary"]);
  });
});
