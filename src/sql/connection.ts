/**
 * The thinnest wrap of a D1 binding or session, and the one place that hands it our own fixed statements. Statements
 * that come from a model go through `runReadOnly` in database.ts alone, which takes nothing but a `ReadOnlyQuery`.
 */

/** A row as D1 gives it: column name to value. */
export type Row = Readonly<Record<string, unknown>>;

/** What we use of `D1Database` and of `D1DatabaseSession` alike. */
export type DatabaseConnection = Pick<D1Database, "prepare" | "batch">;

/** Runs fixed statements in one batch, one round trip, and gives the rows of each. Throws what D1 throws. */
export async function runBatch(
  connection: DatabaseConnection,
  statements: readonly string[],
): Promise<readonly (readonly Row[])[]> {
  if (statements.length === 0) return [];
  const results = await connection.batch<Record<string, unknown>>(statements.map((sql) => connection.prepare(sql)));
  return results.map((result) => result.results);
}
