import { describe, expect, it } from "vitest";
import { CLINIC, SHOP, sqlFor } from "./examples.ts";

const NULLABLE = `table parents (3 rows)
  id INTEGER primary key
  name TEXT not null
table children (3 rows)
  id INTEGER primary key
  name TEXT not null
  size TEXT
  parent_id INTEGER -> parents.id`;

describe("conditions as SQL", () => {
  it("what a row has one of is joined", () => {
    expect(sqlFor(CLINIC, "List doctors in Radiology")).toBe(
      "SELECT d.DoctorId, d.FirstName, d.LastName FROM Doctor AS d JOIN Department AS d2 ON d2.DepartmentId = d.DepartmentId WHERE d2.Name = 'Radiology'",
    );
  });

  it("what it may have many of is a subselect that looks nowhere else", () => {
    expect(
      sqlFor(SHOP, "Which users bought the Copper Kettle?", {
        "copper kettle": [{ table: "products", columns: ["name"], values: ["Copper Kettle"], whole: true }],
      }),
    ).toBe(
      "SELECT id, full_name FROM users WHERE id IN ( SELECT user_id FROM orders WHERE id IN ( SELECT oi.order_id FROM order_items AS oi JOIN products AS p ON p.id = oi.product_id WHERE p.name = 'Copper Kettle' ) )",
    );
  });

  it("NOT IN is safe from NULL", () => {
    expect(sqlFor(NULLABLE, "Which parents have no children?")).toBe(
      "SELECT id, name FROM parents WHERE id NOT IN ( SELECT parent_id FROM children WHERE parent_id IS NOT NULL )",
    );
  });

  it("numbers stored as text compare as numbers", () => {
    expect(sqlFor(NULLABLE, "Which children have a size over 10?")).toBe(
      "SELECT id, name FROM children WHERE CAST(size AS REAL) > 10",
    );
  });
});
