/**
 * Reads and trims the schema of a private copy of a SQLite database.
 *
 * Leaves to others: why something is taken out (d1-fit.ts, d1-virtual-tables.ts, database-check.ts).
 */
import { DatabaseSync } from "node:sqlite";
import { quoteName } from "./sqlite-text.ts";

/**
 * Opens a copy to change it. Old schemas write strings in double quotes, and rows may break any constraint; the copy is
 * thrown away when anything fails, so it needs no safety on disk.
 */
export function openCopy(path: string): DatabaseSync {
  const database = new DatabaseSync(path, {
    enableForeignKeyConstraints: false,
    enableDoubleQuotedStringLiterals: true,
  });
  database.exec(
    "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA legacy_alter_table = ON",
  );
  return database;
}

/** Takes a table, view or index out of the schema, whatever state it is in. */
export function removeObject(database: DatabaseSync, name: string): void {
  try {
    const kind = database.prepare("SELECT upper(type) AS kind FROM sqlite_schema WHERE name = ?").get(name)?.kind;
    if (kind === "TABLE" || kind === "VIEW" || kind === "INDEX") {
      database.exec(`DROP ${kind} ${quoteName(name)}`);
      return;
    }
  } catch {
    // A virtual table without its module cannot be dropped; its entry can be deleted.
  }
  database.exec("PRAGMA writable_schema = ON");
  database.prepare("DELETE FROM sqlite_schema WHERE name = ? OR tbl_name = ?").run(name, name);
  database.exec("PRAGMA writable_schema = RESET");
}

/** The names of ordinary tables: no views, no virtual tables, none of what a virtual table keeps its content in. */
export function ordinaryTables(database: DatabaseSync): readonly string[] {
  return names(
    database,
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
  );
}

/** The column `name` of every row. */
export function names(database: DatabaseSync, sql: string, ...parameters: readonly string[]): readonly string[] {
  return database
    .prepare(sql)
    .all(...parameters)
    .map((row) => String(row.name));
}

/** The columns that hold values of their own: not the generated ones, not the hidden ones of a virtual table. */
export function columnNames(database: DatabaseSync, table: string): readonly string[] {
  return names(database, "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", table);
}
