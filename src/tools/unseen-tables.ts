/**
 * Which tables of a query has the model never been shown? When a schema is too large for the prompt, a query over a table
 * that nobody described is a guess: the guard turns it down before the database sees it. Pure.
 */
import { SCHEMA_BYTES_MAX } from "../agent/prompt.ts";
import { checkQuery } from "../sql/gate.ts";
import { type DatabaseSchema, renderSchema } from "../sql/schema.ts";

/**
 * Names of tables and views that `sql` reads, that exist, and that stand neither in the prompt's schema nor in
 * `described`. Empty for a schema that fits the prompt, and for a statement that the gate refuses.
 */
export function unseenTables(sql: string, schema: DatabaseSchema, described: readonly string[]): readonly string[] {
  const leftOut = leftOutOf(schema);
  if (leftOut.length === 0) return [];
  const checked = checkQuery(sql);
  if (!checked.ok) return [];
  const fold = (name: string): string => name.toLowerCase();
  const seen = new Set(described.map(fold));
  const read = new Set(checked.value.shape.tables.map(({ name }) => fold(name)));
  const own = new Set(checked.value.shape.commonTables.map(({ name }) => fold(name)));
  return leftOut.filter((name) => read.has(fold(name)) && !own.has(fold(name)) && !seen.has(fold(name)));
}

/** Rendering a wide schema takes longer than a query: the answer is kept as long as the schema itself. */
const known = new WeakMap<DatabaseSchema, readonly string[]>();

function leftOutOf(schema: DatabaseSchema): readonly string[] {
  const leftOut = known.get(schema) ?? renderSchema(schema, { bytesMax: SCHEMA_BYTES_MAX }).leftOut;
  known.set(schema, leftOut);
  return leftOut;
}
