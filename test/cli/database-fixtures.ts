/**
 * Databases that nobody prepared, built by node:sqlite, and the means to compare one with what D1 shows of it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { LocalDatabase } from "../../src/cli/host.ts";
import { ordinaryTables } from "../../src/cli/sqlite-schema.ts";
import { quoteName } from "../../src/cli/sqlite-text.ts";

/** The smallest worker that has what the host binds. */
export const TRIVIAL_WORKER = `
import { DurableObject } from "cloudflare:workers";
export class RunObject extends DurableObject {}
export class CallerObject extends DurableObject {}
export default {
  async fetch(request, env) {
    const path = new URL(request.url).pathname;
    if (path === "/log") console.log("said by the worker");
    return Response.json({ path, env: Object.keys(env).sort(), local: env.QUERENT_LOCAL });
  },
};`;

/** A folder that goes away with `remove()`. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "querent-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Creates a database at `path` from statements that may break constraints. */
export function createDatabase(path: string, statements: readonly string[], setUp?: (database: DatabaseSync) => void) {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    setUp?.(database);
    for (const statement of statements) database.exec(statement);
  } finally {
    database.close();
  }
}

/** Every ordinary table's rows as typed text: type and `quote` of each column tell types, bits and NULLs apart. */
export function typedContent(path: string): ReadonlyMap<string, readonly unknown[]> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return new Map(
      ordinaryTables(database).map((table) => {
        const statement = database.prepare(typedSelect(database, table));
        statement.setReturnArrays(true);
        return [table, statement.all()];
      }),
    );
  } finally {
    database.close();
  }
}

/** The same of the tables that D1 holds, asked through the binding. */
export async function typedContentInD1(
  source: string,
  database: LocalDatabase,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const original = new DatabaseSync(source, { readOnly: true });
  try {
    const content = new Map<string, readonly unknown[]>();
    for (const table of ordinaryTables(original)) {
      content.set(table, await database.prepare(typedSelect(original, table)).raw());
    }
    return content;
  } finally {
    original.close();
  }
}

function typedSelect(database: DatabaseSync, table: string): string {
  const columns = database
    .prepare("SELECT name FROM pragma_table_xinfo(?) ORDER BY cid")
    .all(table)
    .map((row) => quoteName(String(row.name)));
  const hasRowid =
    database.prepare("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?").get(table)?.wr === 0;
  // Versions of SQLite print a REAL differently, so a finite one is compared as the number it is.
  const values = columns.flatMap((column) => [
    `typeof(${column}) || iif(typeof(${column}) = 'real' AND abs(${column}) < 9e999, '', hex(${column}) || quote(${column}))`,
    `iif(typeof(${column}) = 'real' AND abs(${column}) < 9e999, ${column}, NULL)`,
  ]);
  const order = values.map((_column, index) => String(index + 1)).join(", ");
  return hasRowid && !columns.some((column) => /^"rowid"$/i.test(column))
    ? `SELECT ${values.join(", ")}, rowid FROM ${quoteName(table)} ORDER BY rowid`
    : `SELECT ${values.join(", ")} FROM ${quoteName(table)} ORDER BY ${order}`;
}
