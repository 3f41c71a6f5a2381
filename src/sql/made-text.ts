/**
 * Text and bytes that a statement makes out of nothing: a few letters are a megabyte, and again for every row, which no count
 * of rows shows. What is written as a number, in the brackets or in a format, is taken at its word. Pure.
 */
import type { Token } from "./lexer.ts";
import { isSymbol, type StatementShape } from "./statement.ts";

/** A few letters make a text of any length. */
export const MAKERS: ReadonlySet<string> = new Set(["zeroblob", "randomblob", "printf", "format"]);

/** What is shorter costs less than the row that it stands in. */
const SHORT_BYTES_MAX = 1_000;
/** The longest value that D1 takes. */
const VALUE_BYTES_MAX = 2_000_000;

/** Bytes that the statement makes for one row by numbers that stand in it; short values count as none. */
export function bytesMadeARow({ tokens, closing }: StatementShape): number {
  return tokens.reduce((sum, token, at) => {
    const close = closing.get(at + 1);
    const isMaker = token.kind === "word" && MAKERS.has(token.text.toLowerCase());
    return isMaker && close !== undefined ? sum + lengthMade(tokens.slice(at + 2, close)) : sum;
  }, 0);
}

/** By the numbers in the brackets multiplied, or by the widest field of a format. */
function lengthMade(given: readonly Token[]): number {
  const numbers = given.filter(({ kind }) => kind === "number").map(({ text }) => Number(text.replaceAll("_", "")));
  const isDivided = given.some((token) => isSymbol(token, "/"));
  const product = isDivided ? 0 : numbers.reduce((whole, number) => whole * Math.max(1, number), 1);
  const widths = given
    .filter(({ kind }) => kind === "string")
    .flatMap(({ text }) => [...text.matchAll(/%[^a-z%]*?(\d+)/gi)].map((found) => Number(found[1])));
  const length = Math.min(VALUE_BYTES_MAX, Math.max(product, ...widths));
  return length > SHORT_BYTES_MAX ? length : 0;
}
