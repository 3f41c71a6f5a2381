import { describe, expect, it } from "vitest";
import { CLINIC, SHOP, sqlFor } from "./examples.ts";

describe("queries from intents", () => {
  it("joins along declared keys", () => {
    expect(sqlFor(CLINIC, "Average fee by specialty")).toBe(
      "SELECT d.Specialty, avg(a.Fee) AS average_fee FROM Appointment AS a JOIN Doctor AS d ON d.DoctorId = a.DoctorId GROUP BY d.Specialty ORDER BY average_fee DESC",
    );
  });

  it("joins along keys that only their names give away", () => {
    expect(sqlFor(SHOP, "How many orders has each user placed?")).toBe(
      "SELECT u.id, u.full_name, count(*) AS orders_count FROM orders AS o JOIN users AS u ON u.id = o.user_id GROUP BY u.id ORDER BY orders_count DESC",
    );
  });

  it("values that name no row are told once each", () => {
    expect(sqlFor(SHOP, "Which countries do users come from?")).toBe("SELECT DISTINCT country FROM users");
  });

  it("a key to another row of the table shows whose it is", () => {
    expect(
      sqlFor(CLINIC, "Who is the supervisor of Mara Quint?", {
        "mara quint": [{ table: "Doctor", columns: ["FirstName", "LastName"], values: ["Mara", "Quint"], whole: true }],
      }),
    ).toBe(
      "SELECT d.SupervisorId, d2.FirstName AS supervisor_id_first_name, d2.LastName AS supervisor_id_last_name FROM Doctor AS d LEFT JOIN Doctor AS d2 ON d2.DoctorId = d.SupervisorId WHERE d.FirstName = 'Mara' AND d.LastName = 'Quint'",
    );
  });
});
