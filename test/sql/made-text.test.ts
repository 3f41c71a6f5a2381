/** Text that a statement makes out of nothing, by its own numbers. */
import { describe, expect, it } from "vitest";
import { checkQuery } from "../../src/sql/gate.ts";
import { bytesMadeARow } from "../../src/sql/made-text.ts";

function bytesOf(expression: string): number {
  const checked = checkQuery(`SELECT ${expression} FROM t`);
  if (!checked.ok) throw new Error(checked.error.message);
  return bytesMadeARow(checked.value.shape);
}

describe("bytesMadeARow", () => {
  it.each<[string, number]>([
    ["hex(randomblob(900000))", 900_000],
    ["length(zeroblob(9e5)), RANDOMBLOB(0x10000)", 965_536],
    ["randomblob(900 * 1000)", 900_000],
    ["randomblob(900_000 + 0 * id)", 900_000],
    ["printf('%.900000c', 'x')", 900_000],
    ["format('%5d %-40000s', 1, 2)", 40_000],
    ["zeroblob(90000000000)", 2_000_000],
  ])("%s makes %d", (expression, bytes) => {
    expect(bytesOf(expression)).toBe(bytes);
  });

  it.each([
    "hex(randomblob(16))",
    "printf('%05.2f', 3.14159), printf('%d of 100000', id), printf('2000000 %')",
    "replace(hex(zeroblob(n / 100000)), '00', '#')",
    "printf('%.*c', n, '*')",
    "zeroblob, 'randomblob(900000)', \"printf\"",
  ])("%s makes nothing that counts", (expression) => {
    expect(bytesOf(expression)).toBe(0);
  });
});
