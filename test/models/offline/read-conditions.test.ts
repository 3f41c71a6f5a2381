import { describe, expect, it } from "vitest";
import { CLINIC, sqlFor } from "./examples.ts";

describe("conditions", () => {
  it("a table with a negation means no such row", () => {
    expect(sqlFor(CLINIC, "Which doctors have never had an appointment?")).toBe(
      "SELECT DoctorId, FirstName, LastName FROM Doctor WHERE DoctorId NOT IN ( SELECT DoctorId FROM Appointment )",
    );
  });

  it("conditions behind a related table are about its rows", () => {
    expect(sqlFor(CLINIC, "Which departments have doctors who earn more than 9000?")).toBe(
      "SELECT DepartmentId, Name FROM Department WHERE DepartmentId IN ( SELECT DepartmentId FROM Doctor WHERE Salary > 9000 )",
    );
  });

  it("a negation ends with `but`", () => {
    expect(sqlFor(CLINIC, "Which doctors have no appointments but a salary over 5000?")).toBe(
      "SELECT DoctorId, FirstName, LastName FROM Doctor WHERE Salary > 5000 AND DoctorId NOT IN ( SELECT DoctorId FROM Appointment )",
    );
  });

  it("a number behind a table is its key", () => {
    expect(sqlFor(CLINIC, "Which appointments did patient 3 have?")).toBe(
      "SELECT a.AppointmentId, a.PatientId, a.DoctorId, a.ScheduledAt, a.Status, a.Fee FROM Appointment AS a JOIN Patient AS p ON p.PatientId = a.PatientId WHERE p.PatientId = 3",
    );
  });
});
