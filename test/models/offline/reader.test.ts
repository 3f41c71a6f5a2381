import { describe, expect, it } from "vitest";
import { CLINIC, intentFor, sqlFor } from "./examples.ts";

describe("putting conditions where they belong", () => {
  it("`or` joins what stands on both sides of it", () => {
    expect(sqlFor(CLINIC, "Which doctors have a salary under 5000 or over 9000?")).toContain(
      "(Salary < 5000 OR Salary > 9000)",
    );
  });

  it("values of one column widen to a list, of two columns they do not", () => {
    expect(intentFor(CLINIC, "Patients from Ghent and Leuven").conditions).toHaveLength(1);
    expect(intentFor(CLINIC, "Female patients from Ghent").conditions).toHaveLength(2);
  });

  it("`both` asks for each by itself", () => {
    const sql = sqlFor(CLINIC, "Which patients have both cancelled and done appointments?");
    expect(sql).toContain("Status = 'cancelled'");
    expect(sql.match(/PatientId IN/g)).toHaveLength(2);
  });
});
