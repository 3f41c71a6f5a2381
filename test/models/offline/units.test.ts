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
});
