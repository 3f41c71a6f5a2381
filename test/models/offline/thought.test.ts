import { describe, expect, it } from "vitest";
import { writeThought } from "../../../src/models/offline/thought.ts";
import { CLINIC, intentFor } from "./examples.ts";

describe("thoughts", () => {
  it.each([
    ["How many doctors are there?", "I count rows of Doctor."],
    [
      "How many doctors are there per department?",
      "I list rows of Department and count rows of Doctor for each Department.",
    ],
    ["What is the average fee of cancelled appointments?", "I average Appointment.Fee."],
    ["Top 3 doctors by salary", "I list rows of Doctor."],
  ])("%s", (question, thought) => {
    expect(writeThought(intentFor(CLINIC, question))).toBe(thought);
  });
});
