import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseForm } from "../../src/http/slack-form.ts";

function parse(text: string | Uint8Array): ReadonlyMap<string, string | null> {
  return parseForm(typeof text === "string" ? new TextEncoder().encode(text) : text);
}

const bytes = (...parts: (string | number)[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "number" ? [part] : [...new TextEncoder().encode(part)])));

describe("a form body", () => {
  it.each([
    ["text=a%20b", "a b"],
    ["text=a+b", "a b"],
    ["text=a%2Bb", "a+b"],
    ["text=count(%2A)", "count(*)"],
    ["text=count(*)", "count(*)"],
    ["text=%26%3D%25", "&=%"],
    ["text=100%", "100%"],
    ["text=%zz%4", "%zz%4"],
    ["text=%F0%9F%98%80", "😀"],
    ["text=caf%C3%A9", "café"],
    ["text=caf%c3%a9", "café"],
    ["text=a=b", "a=b"],
    ["text=", ""],
    ["text", ""],
    ["text=%00", "\u0000"],
    ["text=%EF%BB%BFa", "\ufeffa"],
  ])("reads %s", (body, text) => {
    expect(parse(body).get("text")).toBe(text);
  });

  it("reads an emoji as it stands, unescaped", () => {
    expect(parse("text=😀").get("text")).toBe("😀");
  });

  it.each([
    ["a lone byte", bytes("text=a", 0xff, "b")],
    ["half a character", bytes("text=", 0xf0, 0x9f)],
    ["an escape of one", bytes("text=%ff")],
    ["a surrogate", bytes("text=%ED%A0%80")],
    ["an overlong slash", bytes("text=%C0%AF")],
  ])("says that %s is no text, instead of guessing", (_what, body) => {
    expect(parse(body).get("text")).toBeNull();
  });

  it("leaves other fields as they are when one is no text", () => {
    expect([...parse(bytes("a=1&text=", 0xff, "&b=2"))]).toEqual([
      ["a", "1"],
      ["text", null],
      ["b", "2"],
    ]);
  });

  it("does not choose between two values of one field", () => {
    expect([...parse("a=1&ssl_check=1&a=2&ssl_check=0&b=3")]).toEqual([["b", "3"]]);
  });

  it("is empty without fields", () => {
    for (const body of ["", "&", "&&&"]) expect(parse(body).size).toBe(0);
  });

  it("reads whatever the platform's own serialiser writes", () => {
    const fields = fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(fields, (given) => {
        const entries = Object.entries(given).map(([name, value]) => [name.toWellFormed(), value] as const);
        if (new Set(entries.map(([name]) => name)).size < entries.length) return;
        expect([...parse(new URLSearchParams(entries.map((entry) => [...entry])).toString())]).toEqual(entries);
      }),
    );
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (body) => {
        expect(parseForm(body)).toBeInstanceOf(Map);
      }),
    );
  });
});
