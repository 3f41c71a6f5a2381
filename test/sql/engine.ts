/**
 * SQLite itself, in Node, for the pure parts of src/sql: statements of the fixtures, and a connection that gives catalog
 * and EXPLAIN rows as D1 does. What depends on D1 (its limits, its JSON, its sessions) is tested in workerd instead.
 */
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Catalog } from "../../src/sql/catalog.ts";
import { readCatalog } from "../../src/sql/catalog.ts";
import type { DatabaseConnection, Row } from "../../src/sql/connection.ts";

const FIXTURES = new URL("../fixtures/sql/", import.meta.url);
const STAND_INS: Readonly<Record<string, string>> = { "⏎": "\n", "⇥": "\t", "␀": "\0", "␣": "\u00a0" };

/** The statements of a fixture file, one a line. */
export function statements(file: "reads.txt" | "hostile.txt" | "engine.txt" | "database.sql"): readonly string[] {
  const text = readFileSync(new URL(file, FIXTURES), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => line.replace(/[⏎⇥␀␣]/g, (char) => STAND_INS[char] ?? char));
}

/** A database in memory with the given statements run. */
export function memoryDatabase(setup: readonly string[] = statements("database.sql")): DatabaseSync {
  const database = new DatabaseSync(":memory:", { enableDoubleQuotedStringLiterals: true });
  for (const sql of setup) database.exec(sql);
  return database;
}

export function rowsOf(database: DatabaseSync, sql: string): readonly Row[] {
  return database
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }));
}

/** Enough of a D1 connection to read a catalog, with D1's way of telling errors. */
export function connectionTo(database: DatabaseSync): DatabaseConnection {
  const run = async (sql: string) => {
    try {
      return { results: rowsOf(database, sql) };
    } catch (error) {
      throw new Error(`D1_ERROR: ${error instanceof Error ? error.message : ""}: SQLITE_ERROR`);
    }
  };
  const prepare = (sql: string) => ({ sql, all: () => run(sql) });
  const batch = (prepared: readonly { readonly sql: string }[]) => Promise.all(prepared.map(({ sql }) => run(sql)));
  return { prepare, batch } as unknown as DatabaseConnection;
}

export async function catalogOf(database: DatabaseSync): Promise<Catalog> {
  return readCatalog(connectionTo(database));
}

/** Everything in the database as one text: equal texts, equal databases. */
export function dump(database: DatabaseSync): string {
  const objects = rowsOf(database, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name");
  const tables = objects.filter(
    (row) => row.type === "table" && typeof row.sql === "string" && !/VIRTUAL/i.test(row.sql),
  );
  const exactRows = (sql: string): readonly Row[] => {
    const prepared = database.prepare(sql);
    prepared.setReadBigInts(true);
    return prepared.all().map((row) => ({ ...row }));
  };
  const rows = tables.map(({ name }) => [name, exactRows(`SELECT * FROM "${String(name).replaceAll('"', '""')}"`)]);
  return JSON.stringify([objects, rows], (_key, value: unknown) =>
    value instanceof Uint8Array ? [...value] : typeof value === "bigint" ? String(value) : value,
  );
}
