import { describe, expect, it } from "vitest";
import { writeThought } from "../../../src/models/offline/thought.ts";
import { CLINIC, intentFor } from "./examples.ts";

describe("thoughts", () => {
  it.each([
    ["How many doctors are there?", "I read Doctor."],
    ["How many doctors are there per department?", "I read Department and Doctor for each Department."],
    ["What is the average fee of cancelled appointments?", "I read Appointment."],
    ["Appointments per month", "I read Appointment for each month."],
  ])("%s", (question, thought) => {
    expect(writeThought(intentFor(CLINIC, question))).toBe(thought);
  });
});
