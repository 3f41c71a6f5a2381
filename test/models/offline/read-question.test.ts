import { describe, expect, it } from "vitest";
import { CLINIC, sqlFor } from "./examples.ts";

describe("whole questions", () => {
  it("counts", () => {
    expect(sqlFor(CLINIC, "How many patients are there?")).toBe("SELECT count(*) AS patient_count FROM Patient");
  });

  it("counts different values of a column", () => {
    expect(sqlFor(CLINIC, "How many different cities do patients come from?")).toBe(
      "SELECT count(DISTINCT City) AS distinct_city FROM Patient",
    );
  });

  it("lists rows by their key and names", () => {
    expect(sqlFor(CLINIC, "List all departments")).toBe("SELECT DepartmentId, Name FROM Department");
  });

  it("takes the extreme of each group with the row that holds it", () => {
    expect(sqlFor(CLINIC, "What is the most expensive appointment of each doctor?")).toBe(
      "SELECT a.AppointmentId, a.PatientId, a.DoctorId AS appointment_doctor_id, a.ScheduledAt, a.Status, a.Fee, d.DoctorId AS doctor_doctor_id, d.FirstName, d.LastName, max(a.Fee) AS max_fee FROM Appointment AS a JOIN Doctor AS d ON d.DoctorId = a.DoctorId GROUP BY d.DoctorId ORDER BY max_fee DESC",
    );
  });

  it("averages counts of groups", () => {
    expect(sqlFor(CLINIC, "What is the average number of appointments per doctor?")).toBe(
      "SELECT avg(appointment_count) AS average_appointment_count FROM ( SELECT count(*) AS appointment_count FROM Appointment AS a JOIN Doctor AS d ON d.DoctorId = a.DoctorId GROUP BY d.DoctorId )",
    );
  });
});
