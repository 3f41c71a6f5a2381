/**
 * The tables that a query reads, by its text alone: what makes it one of a family (agent/families.ts). Pure.
 */
import { tokenize } from "../sql/lexer.ts";
import { matchBrackets, readShape } from "../sql/statement.ts";

/**
 * Names as written, each once whatever its case, in order of appearance; without the query's own common tables. Empty
 * when it reads none, or when its brackets do not balance: then the text is what is wrong, not the tables.
 */
export function queryTables(sql: string): readonly string[] {
  const tokens = tokenize(sql).filter((token) => token.kind !== "blank" && token.kind !== "comment");
  const closing = matchBrackets(tokens);
  if (closing === null) return [];
  const { tables, commonTables } = readShape(tokens, closing);
  const own = new Set(commonTables.map(({ name }) => name.toLowerCase()));
  const seen = new Map<string, string>();
  for (const { name } of tables) {
    const folded = name.toLowerCase();
    if (!own.has(folded) && !seen.has(folded)) seen.set(folded, name);
  }
  return [...seen.values()];
}
