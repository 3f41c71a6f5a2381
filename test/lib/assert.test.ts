import { describe, expect, it } from "vitest";
import { AssertionError, assert, unreachable } from "../../src/lib/assert.ts";

describe("assert", () => {
  it("lets a true condition pass", () => {
    expect(() => assert(true, "never broken")).not.toThrow();
  });

  it("L4: throws an AssertionError that names the broken rule", () => {
    expect(() => assert(false, "A3: steps fell")).toThrow(new AssertionError("A3: steps fell"));
    expect(new AssertionError("x").name).toBe("AssertionError");
  });

  it("an impossible value of a union is named in the error", () => {
    const value = { kind: "unheard" } as never;
    expect(() => unreachable(value, "event")).toThrow('event: unexpected {"kind":"unheard"}');
  });
});
