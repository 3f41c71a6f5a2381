import { describe, expect, it } from "vitest";
import { CLINIC, SHOP, sqlFor } from "./examples.ts";

describe("units behind a number", () => {
  it("minutes become the milliseconds of the column", () => {
    expect(sqlFor(SHOP, "Which products are longer than 2 minutes?")).toContain("length_ms > 120000");
  });

  it("a number without a unit stays as it is", () => {
    expect(sqlFor(SHOP, "Which products have a length over 500?")).toContain("length_ms > 500");
    expect(sqlFor(CLINIC, "Which medications cost more than 5 dollars?")).toContain("Price > 5");
  });

  it("any two units of one kind are turned into each other", () => {
    const schema = "table job (9 rows)\n  id INTEGER primary key\n  run_seconds INTEGER\n  disk_bytes INTEGER";
    expect(sqlFor(schema, "Which jobs have run seconds over 2 minutes?")).toContain("run_seconds > 120");
    expect(sqlFor(schema, "Which jobs have disk bytes over 3 MB?")).toContain("disk_bytes > 3000000");
  });
});
