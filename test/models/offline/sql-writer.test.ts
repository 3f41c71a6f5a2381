import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSchemaText } from "../../../src/models/offline/schema-text.ts";
import type { Select } from "../../../src/models/offline/select.ts";
import { quoteName, quoteText, writeSelect } from "../../../src/models/offline/sql-writer.ts";
import { toIdentifier } from "../../../src/sql/keywords.ts";
import { openScript, runSql } from "./harness.ts";

const empty = openScript("");
const column = (source: number, name: string) => ({ kind: "column", source, name }) as const;
const base: Select = {
  sources: [{ id: 0, table: "Order Details", join: null }],
  outputs: [{ expression: column(0, "Unit Price"), alias: null }],
  distinct: false,
  where: [],
  groupBy: [],
  having: [],
  orderBy: [],
  limit: null,
};

describe("SQL text", () => {
  it("any text is one literal, any name one name, keywords as the schema shows them", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\u0000")),
          fc.constantFrom("in", "Order", "GROUP", "desc", "order by"),
        ),
        (text) => {
          const name = text === "" ? "x" : text;
          const { quoted } = parseSchemaText(`table ${toIdentifier(name)}`);
          const sql = `SELECT ${quoteText(text)} AS ${quoteName(name, quoted)}`;
          if (/[\r\n]/.test(name)) return; // No schema text can show such a name.
          expect(runSql(empty, sql)).toEqual({ columns: [name], rows: [[text]] });
        },
      ),
    );
  });

  it("quotes names only where they must be, which the schema shows for keywords", () => {
    const quoted = new Set(["order"]);
    expect([quoteName("Name", quoted), quoteName("order", quoted), quoteName("a b"), quoteName("1x")]).toEqual([
      "Name",
      '"order"',
      '"a b"',
      '"1x"',
    ]);
  });

  it("needs no alias for one table, and short ones for several", () => {
    expect(writeSelect(base)).toBe('SELECT "Unit Price"\nFROM "Order Details"');
    const joined: Select = {
      ...base,
      sources: [
        ...base.sources,
        { id: 1, table: "Orders", join: { to: 0, pairs: [["OrderID", "OrderID"]], optional: true } },
      ],
    };
    expect(writeSelect(joined)).toBe(
      'SELECT od."Unit Price"\nFROM "Order Details" AS od\nLEFT JOIN Orders AS o ON o.OrderID = od.OrderID',
    );
  });

  it("a pattern too long for LIKE becomes instr, and wildcards are escaped", () => {
    const like = (text: string): string =>
      writeSelect({ ...base, where: [{ kind: "like", of: column(0, "a"), text, at: "any", negated: false }] }).split(
        "\n",
      )[2] ?? "";
    expect(like("50%")).toBe("WHERE a LIKE '%50\\%%' ESCAPE '\\'");
    expect(like("x".repeat(60))).toContain("instr(lower(a)");
  });

  it("writes grouping, having, order by alias and limit in their order", () => {
    const count = { kind: "call", function: "count", distinct: false, of: null } as const;
    const text = writeSelect({
      ...base,
      outputs: [{ expression: count, alias: "n" }],
      groupBy: [column(0, "a")],
      having: [
        {
          kind: "compare",
          left: count,
          operator: ">",
          right: { kind: "literal", value: { kind: "number", text: "2" } },
        },
      ],
      orderBy: [{ expression: count, descending: true }],
      limit: 3,
    });
    expect(text.split("\n").slice(2)).toEqual(["GROUP BY a", "HAVING count(*) > 2", "ORDER BY n DESC", "LIMIT 3"]);
  });
});
