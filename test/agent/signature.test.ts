import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashObserved, signatureOf } from "../../src/agent/signature.ts";
import { sha256Hex } from "../../src/lib/hash.ts";

describe("signatureOf", () => {
  it("C30: is the full SHA-256 of the name, a bar and the key-sorted arguments", () => {
    expect(signatureOf("read_result", { to_row: 2, ref: "r1" })).toBe(sha256Hex('read_result|{"ref":"r1","to_row":2}'));
    expect(signatureOf("read_result", {})).toMatch(/^[0-9a-f]{64}$/);
  });

  it("C30: the order of keys is irrelevant; names, values and order in lists are not", () => {
    const base = signatureOf("t", { a: 1, b: [1, 2] });
    expect(signatureOf("t", { b: [1, 2], a: 1 })).toBe(base);
    expect(signatureOf("u", { a: 1, b: [1, 2] })).not.toBe(base);
    expect(signatureOf("t", { a: "1", b: [1, 2] })).not.toBe(base);
    expect(signatureOf("t", { a: 1, b: [2, 1] })).not.toBe(base);
  });

  it("whatever a model writes for arguments has a signature, and the same one each time", () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (name, input) => {
        expect(signatureOf(name, input)).toBe(signatureOf(name, JSON.parse(JSON.stringify(input))));
      }),
    );
    expect(signatureOf("t", undefined)).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("hashObserved", () => {
  const seen = { status: "success", summary: "1 row.", data: { rows: [[1]] } };

  it("tells results apart by status and data, and errors by their words too", () => {
    const hash = hashObserved(seen);
    expect(hash).toMatch(/^[0-9a-f]{32}$/);
    expect(hashObserved({ ...seen, summary: "The same row, which you have seen." })).toBe(hash);
    expect(hashObserved({ ...seen, status: "warning" })).not.toBe(hash);
    expect(hashObserved({ ...seen, data: { rows: [[2]] } })).not.toBe(hash);
    const failed = { status: "error", summary: "no column x", data: {} };
    expect(hashObserved({ ...failed, summary: "no column y" })).not.toBe(hashObserved(failed));
  });
});
