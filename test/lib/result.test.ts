import { describe, expect, it } from "vitest";
import { err, ok, type Result } from "../../src/lib/result.ts";

function half(n: number): Result<number, string> {
  return n % 2 === 0 ? ok(n / 2) : err("odd");
}

describe("result", () => {
  it("carries a value or a reason, told apart by `ok`", () => {
    expect(half(4)).toEqual({ ok: true, value: 2 });
    expect(half(3)).toEqual({ ok: false, error: "odd" });
  });
});
