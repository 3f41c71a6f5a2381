/**
 * One batch of statements that each ask about many tables, taken apart where one table spoils it: first each statement
 * alone, then each part of a failing one. What cannot be read is left out; a fault of the platform is thrown on.
 */
import { type DatabaseConnection, type Row, runBatch } from "./connection.ts";
import { classifyError } from "./failure.ts";

/** A `SELECT` of one row, built of independent columns. `name` ends in the part's number. */
export interface SplitStatement {
  readonly parts: readonly { readonly expression: string; readonly name: string }[];
}

/** The single row of each statement, in order; columns that cannot be computed are missing. */
export async function runSplit(
  connection: DatabaseConnection,
  statements: readonly SplitStatement[],
): Promise<readonly Row[]> {
  const whole = await tryBatch(connection, statements.map(toSql));
  if (whole !== null) return whole;
  const rows: Row[] = [];
  for (const statement of statements) rows.push(await runParts(connection, statement));
  return rows;
}

async function runParts(connection: DatabaseConnection, statement: SplitStatement): Promise<Row> {
  const [row] = (await tryBatch(connection, [toSql(statement)])) ?? [];
  if (row !== undefined) return row;
  const merged: Record<string, unknown> = {};
  for (const part of statement.parts) {
    const [single] = (await tryBatch(connection, [toSql({ parts: [part] })])) ?? [];
    if (single !== undefined) merged[part.name] = single[part.name];
  }
  return merged;
}

function toSql(statement: SplitStatement): string {
  return `SELECT ${statement.parts.map(({ expression, name }) => `${expression} AS ${name}`).join(", ")}`;
}

/** Null when a statement is at fault. */
async function tryBatch(connection: DatabaseConnection, sqls: readonly string[]): Promise<readonly Row[] | null> {
  try {
    return (await runBatch(connection, sqls)).map((rows) => rows[0] ?? {});
  } catch (error) {
    if (classifyError(error).kind !== "statement") throw error;
    return null;
  }
}

/** The items in groups of at most `size`. */
export function chunk<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const chunks: Item[][] = [];
  for (let from = 0; from < items.length; from += size) chunks.push(items.slice(from, from + size));
  return chunks;
}
