/** Tokens by SQLite's own rules, checked against the engine where it can be asked. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokenize, unquote } from "../../src/sql/lexer.ts";
import { memoryDatabase } from "./engine.ts";

const kinds = (sql: string): readonly string[] =>
  tokenize(sql)
    .filter((token) => token.kind !== "blank")
    .map((token) => `${token.kind} ${token.text}`);

describe("tokenize", () => {
  it.each<[string, readonly string[]]>([
    ["a b1 _c $d", ["word a", "word b1", "word _c", "parameter $d"]],
    ["a$b é日 a\u00a0b", ["word a$b", "word é日", "word a\u00a0b"]],
    ["'a''b' 'c", ["string 'a''b'", "illegal 'c"]],
    ['"a""b" `c``d` [e"f] [g', ['name "a""b"', "name `c``d`", 'name [e"f]', "illegal [g"]],
    ["-- x\n1 --y", ["comment -- x", "number 1", "comment --y"]],
    ["/* /* */ 1 /* x", ["comment /* /* */", "number 1", "comment /* x"]],
    ["1 /*", ["number 1", "symbol /", "symbol *"]],
    ["/**/1/*/2", ["comment /**/", "number 1", "comment /*/2"]],
    ["x'00fF' X'' x'0' x'zz'1", ["blob x'00fF'", "blob X''", "illegal x'0'", "illegal x'zz'", "number 1"]],
    ["x 'a'", ["word x", "string 'a'"]],
    [
      "1 1.5 .5 5. 1e3 1E-3 0x1F 1_000 1_0.5_0",
      [1, 1.5, ".5", "5.", "1e3", "1E-3", "0x1F", "1_000", "1_0.5_0"].map((n) => `number ${n}`),
    ],
    ["1a 0x 1e 1__0 1_", ["illegal 1a", "illegal 0x", "illegal 1e", "illegal 1__0", "illegal 1_"]],
    ["1.e5", ["number 1.e5"]],
    [
      "? ?12 :a @b #c $d::e(f)",
      ["parameter ?", "parameter ?12", "parameter :a", "parameter @b", "parameter #c", "parameter $d::e(f)"],
    ],
    [": $ @", ["illegal :", "illegal $", "illegal @"]],
    ["$a(b c", ["illegal $a(b", "word c"]],
    [
      "-> ->> || == != <> <= >= << >>",
      ["->", "->>", "||", "==", "!=", "<>", "<=", ">=", "<<", ">>"].map((s) => `symbol ${s}`),
    ],
    ["\\ ! { ^", ["illegal \\", "illegal !", "illegal {", "illegal ^"]],
    ["；", ["word ；"]],
  ])("reads %j", (sql, expected) => {
    expect(kinds(sql)).toEqual(expected);
  });

  it("takes blanks as SQLite does: a vertical tab continues one but starts none", () => {
    expect(tokenize(" \v\f1").map((token) => token.kind)).toEqual(["blank", "number"]);
    expect(tokenize("\v1").map((token) => token.kind)).toEqual(["illegal", "number"]);
    expect(tokenize("\uFEFF1").map((token) => token.kind)).toEqual(["blank", "number"]);
    expect(tokenize("a\uFEFFb").map((token) => token.kind)).toEqual(["word"]);
  });

  it("loses no character, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (sql) => {
        const tokens = tokenize(sql);
        expect(tokens.map((token) => token.text).join("")).toBe(sql);
        expect(tokens.every((token) => token.text.length > 0 && sql.startsWith(token.text, token.start))).toBe(true);
      }),
      { numRuns: 2_000, seed: 31 },
    );
  });

  it("sees the same quotes, comments and numbers as the engine", () => {
    const database = memoryDatabase([]);
    const pieces = ["'", "''", '"', "`", "[", "]", "--", "/*", "*/", "\n", "x'", "0", "a", " ", "1e", ".", "(", ")"];
    let judged = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (parts) => {
        // The engine takes the text as one more column exactly when nothing in it is left open or unreadable.
        const sql = `SELECT 1 AS a, ${parts.join("")}`;
        const isLegible = !tokenize(sql).some((token) => token.kind === "illegal");
        const message = errorOf(() => database.prepare(sql));
        // A syntax error further left hides what follows, so it says nothing.
        if (message === null || /incomplete|no such column/.test(message)) expect(isLegible).toBe(true);
        else if (/unrecognized token/.test(message)) expect(isLegible).toBe(false);
        else return;
        judged += 1;
      }),
      { numRuns: 20_000, seed: 32 },
    );
    expect(judged).toBeGreaterThan(5_000);
  });
});

describe("unquote", () => {
  it.each([
    ['"a""b"', 'a"b'],
    ["`a``b`", "a`b"],
    ["[a]", "a"],
    ["'it''s'", "it's"],
    ["plain", "plain"],
  ])("takes the quotes off %s", (text, expected) => {
    const [token] = tokenize(text);
    expect(token && unquote(token)).toBe(expected);
  });
});

function errorOf(call: () => unknown): string | null {
  try {
    call();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
