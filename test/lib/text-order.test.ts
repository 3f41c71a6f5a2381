import { expect, test } from "vitest";
import { keepOrder } from "../../src/lib/text-order.ts";

test("SQL shows what would turn the order of its words, and leaves letters of any direction as they are", () => {
  expect(keepOrder("SELECT '\u202eevil\u2066'")).toBe("SELECT '\ufffdevil\ufffd'");
  expect(keepOrder("SELECT 'שלום عربي'")).toBe("SELECT 'שלום عربي'");
});
