import { describe, expect, test } from "vitest";
import { toCsvLine } from "../../src/http/csv.ts";

describe("toCsvLine", () => {
  test("follows RFC 4180: CRLF, quotes doubled, fields with commas, quotes and breaks quoted", () => {
    expect(toCsvLine(["a", "b,c", 'd"e', "f\ng", " h "])).toBe('a,"b,c","d""e","f\ng"," h "\r\n');
  });

  test("tells NULL from an empty text", () => {
    expect(toCsvLine([null, "", 0, false])).toBe(',"",0,false\r\n');
  });

  test.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["\r=1", '"\'\r=1"'],
    ["＝1", "'＝1"],
    ['=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'],
  ])("a text that a spreadsheet would run, %j, gets an apostrophe", (text, field) => {
    expect(toCsvLine([text])).toBe(`${field}\r\n`);
  });

  test("a negative number stays a number", () => {
    expect(toCsvLine([-1.5, 1e21])).toBe("-1.5,1e+21\r\n");
  });

  test("tagged cells give their text, BLOBs their hex", () => {
    expect(
      toCsvLine([
        { type: "integer", text: "-9223372036854775808" },
        { type: "real", text: "-Infinity" },
        { type: "blob", blob: 3, hex: "00ff10" },
        { type: "text", text: "=cut", bytes: 9_000, cut: true },
      ]),
    ).toBe("-9223372036854775808,-Infinity,00ff10,'=cut\r\n");
  });
});
