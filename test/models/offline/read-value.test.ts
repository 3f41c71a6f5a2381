import { describe, expect, it } from "vitest";
import { CLINIC, sqlFor } from "./examples.ts";

describe("literal values", () => {
  it("several values of one column make a list", () => {
    expect(sqlFor(CLINIC, "Which doctors work in Cardiology or Radiology?")).toBe(
      "SELECT d.DoctorId, d.FirstName, d.LastName FROM Doctor AS d JOIN Department AS d2 ON d2.DepartmentId = d.DepartmentId WHERE d2.Name IN ('Cardiology', 'Radiology')",
    );
  });

  it("a full name meets first and last name", () => {
    expect(
      sqlFor(CLINIC, "What is the salary of Mara Quint?", {
        "mara quint": [{ table: "Doctor", columns: ["FirstName", "LastName"], values: ["Mara", "Quint"], whole: true }],
      }),
    ).toBe("SELECT Salary FROM Doctor WHERE FirstName = 'Mara' AND LastName = 'Quint'");
  });

  it("a key of the table's own rows points to the row named", () => {
    expect(
      sqlFor(CLINIC, "Which doctors report to Mara Quint?", {
        "mara quint": [{ table: "Doctor", columns: ["FirstName", "LastName"], values: ["Mara", "Quint"], whole: true }],
      }),
    ).toBe(
      "SELECT DoctorId, FirstName, LastName FROM Doctor WHERE SupervisorId IN ( SELECT DoctorId FROM Doctor WHERE FirstName = 'Mara' AND LastName = 'Quint' )",
    );
  });

  it("who does things is a row of the smaller table that goes by the name, unless a table is named", () => {
    const schema = `table Artist (275 rows)
  ArtistId INTEGER primary key
  Name TEXT
table Album (347 rows)
  AlbumId INTEGER primary key
  Title TEXT
  ArtistId INTEGER -> Artist.ArtistId
table Genre (25 rows)
  GenreId INTEGER primary key
  Name TEXT
table Track (3503 rows)
  TrackId INTEGER primary key
  Name TEXT
  AlbumId INTEGER -> Album.AlbumId
  GenreId INTEGER -> Genre.GenreId`;
    const at = (table: string, column: string) =>
      ({ table, columns: [column], values: ["Iron Maiden"], whole: true }) as const;
    const found = { "iron maiden": [at("Track", "Name"), at("Album", "Title"), at("Artist", "Name")] };
    expect(sqlFor(schema, "What genres does Iron Maiden play?", found)).toMatch(/a\d?\.Name = 'Iron Maiden'/);
    expect(sqlFor(schema, "How many tracks are by Iron Maiden?", found)).toMatch(/a\d?\.Name = 'Iron Maiden'/);
    expect(sqlFor(schema, "Which genre is the track Iron Maiden?", found)).toContain(
      "FROM Track WHERE Name = 'Iron Maiden'",
    );
  });

  it("a value is negated", () => {
    expect(sqlFor(CLINIC, "Which doctors do not work in Cardiology?")).toBe(
      "SELECT d.DoctorId, d.FirstName, d.LastName FROM Doctor AS d JOIN Department AS d2 ON d2.DepartmentId = d.DepartmentId WHERE d2.Name <> 'Cardiology'",
    );
  });

  it("another word for a sex is found among the samples", () => {
    expect(sqlFor(CLINIC, "How many female patients are there?")).toBe(
      "SELECT count(*) AS patient_count FROM Patient WHERE Gender = 'F'",
    );
  });
});
