import { describe, expect, it } from "vitest";
import { CLINIC, SHOP, sqlFor } from "./examples.ts";

describe("columns named without a comparison", () => {
  it("no phone means none is stored", () => {
    expect(sqlFor(CLINIC, "Which patients have no phone?")).toBe(
      "SELECT PatientId, FirstName, LastName FROM Patient WHERE Phone IS NULL",
    );
  });

  it("having a phone means one is stored, and shows it", () => {
    expect(sqlFor(CLINIC, "Which patients have a phone?")).toBe(
      "SELECT PatientId, FirstName, LastName, Phone FROM Patient WHERE Phone IS NOT NULL",
    );
  });

  it("a yes-or-no column filters", () => {
    expect(sqlFor(SHOP, "How many active users are there?")).toBe(
      "SELECT count(*) AS users_count FROM users WHERE is_active = 1",
    );
  });
});
