import { describe, expect, it } from "vitest";
import { CLINIC, SHOP, sqlFor } from "./examples.ts";

describe("what is shown", () => {
  it("several figures of one column", () => {
    expect(sqlFor(CLINIC, "Give the minimum, maximum and average salary of doctors")).toBe(
      "SELECT min(Salary) AS min_salary, max(Salary) AS max_salary, avg(Salary) AS average_salary FROM Doctor",
    );
  });

  it("the name of people is both names", () => {
    expect(sqlFor(CLINIC, "What are the names of the patients from Ghent?")).toBe(
      "SELECT FirstName, LastName FROM Patient WHERE City = 'Ghent'",
    );
  });

  it("revenue is price times quantity where no column says total", () => {
    expect(sqlFor(SHOP, "Total revenue by category")).toBe(
      "SELECT c.id, c.name, sum(oi.unit_price * oi.quantity) AS total_sales FROM order_items AS oi JOIN products AS p ON p.id = oi.product_id JOIN categories AS c ON c.id = p.category_id GROUP BY c.id ORDER BY total_sales DESC",
    );
  });

  it("a column without a type is added up when it is named outright, one of text is not", () => {
    const schema = "table items (2 rows)\n  id INTEGER primary key\n  note TEXT\n  total generated";
    expect(sqlFor(schema, "What is the sum of total of all items?")).toBe(
      "SELECT sum(total) AS items_total FROM items",
    );
    expect(sqlFor(schema, "What is the sum of note of all items?")).toBe("not_understood");
  });

  it("a number of things that a column holds is their sum", () => {
    expect(sqlFor(SHOP, "What is the total stock of all products?")).toBe(
      "SELECT sum(stock) AS total_stock FROM products",
    );
  });
});
