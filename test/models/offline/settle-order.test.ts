import { describe, expect, it } from "vitest";
import { CLINIC, sqlFor } from "./examples.ts";

describe("what is ordered by", () => {
  it("highest first orders by the figure", () => {
    expect(sqlFor(CLINIC, "How many doctors per department, highest first")).toBe(
      "SELECT d2.DepartmentId, d2.Name, count(*) AS doctor_count FROM Doctor AS d JOIN Department AS d2 ON d2.DepartmentId = d.DepartmentId GROUP BY d2.DepartmentId ORDER BY doctor_count DESC",
    );
  });

  it("newest first finds the date", () => {
    expect(sqlFor(CLINIC, "List doctors and their hire dates, newest first")).toBe(
      "SELECT DoctorId, FirstName, LastName, HireDate FROM Doctor ORDER BY HireDate DESC",
    );
  });

  it("alphabetical order takes the name", () => {
    expect(sqlFor(CLINIC, "List the names of the departments in alphabetical order")).toBe(
      "SELECT Name FROM Department ORDER BY Name",
    );
  });
});
