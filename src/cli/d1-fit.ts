/**
 * Fits a private copy of a SQLite database to what local D1 can open and read. The copy goes to workerd as a file, so
 * everything that is not named here stays byte for byte: rowids, types, infinities, broken text, index contents,
 * dangling foreign keys.
 *
 * Owns: taking out or replacing what D1 would choke on, and naming each such thing for the person who asks.
 * Leaves to others: what only D1 itself can tell (database-check.ts).
 */
import type { DatabaseSync } from "node:sqlite";
import { fitVirtualTables } from "./d1-virtual-tables.ts";
import { columnNames, names, openCopy, ordinaryTables, removeObject } from "./sqlite-schema.ts";
import { messageOf, quoteName } from "./sqlite-text.ts";

/** D1's limit of columns in a table or a result. One table above it makes the whole schema unreadable. */
const TABLE_COLUMNS_MAX = 100;
/** D1's limit of a statement; the stored text of a view or an index counts as one when the schema is read. */
const SQL_BYTES_MAX = 100_000;
/** The runtime's limit of a string or BLOB (SQLITE_LIMIT_LENGTH). D1 in production allows 2,000,000. */
const VALUE_BYTES_MAX = 4 * 1024 * 1024;
/** Names listed in one note; the rest are counted. */
const NAMES_SHOWN_MAX = 8;

/** Changes the database at `path` in place and returns one sentence for each thing that D1 could not have taken. */
export function fitToD1(path: string): readonly string[] {
  const database = openCopy(path);
  try {
    return [
      ...dropTriggers(database),
      ...dropReserved(database),
      ...fitVirtualTables(database),
      ...fitWideTables(database),
      ...dropLongDefinitions(database),
      ...replaceLongValues(database),
    ];
  } finally {
    database.close();
  }
}

function dropTriggers(database: DatabaseSync): readonly string[] {
  const triggers = names(database, "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name");
  for (const name of triggers) database.exec(`DROP TRIGGER ${quoteName(name)}`);
  if (triggers.length === 0) return [];
  return [`Left out ${listNames(triggers, "trigger")}: only writes fire them.`];
}

/** Tables of the runtime's own, found in a file that was itself a D1 database or an object's storage. */
function dropReserved(database: DatabaseSync): readonly string[] {
  for (const name of names(
    database,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '\\_cf\\_%' ESCAPE '\\'",
  )) {
    removeObject(database, name);
  }
  return [];
}

function fitWideTables(database: DatabaseSync): readonly string[] {
  return ordinaryTables(database).flatMap((table) => {
    const columns = names(database, "SELECT name FROM pragma_table_xinfo(?) ORDER BY cid", table);
    if (columns.length <= TABLE_COLUMNS_MAX) return [];
    const head = `Table ${quoteName(table)} has ${columns.length} columns and D1 allows ${TABLE_COLUMNS_MAX}`;
    const dropped = dropLastColumns(database, table, columns);
    if (dropped !== null) return [`${head}: left out ${listNames(dropped, "column")}.`];
    removeObject(database, table);
    return [`${head}: left out.`];
  });
}

/** The columns dropped, last first, or null when too many are held by a key, an index or a view. */
function dropLastColumns(database: DatabaseSync, table: string, columns: readonly string[]): readonly string[] | null {
  const excess = columns.length - TABLE_COLUMNS_MAX;
  const dropped: string[] = [];
  database.exec("BEGIN");
  // A view that is broken already, or names such a column, would forbid the change: views stand aside for it.
  const views = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'view'").all();
  for (const view of views) database.exec(`DROP VIEW ${quoteName(String(view.name))}`);
  for (const column of columns.toReversed()) {
    if (dropped.length === excess) break;
    try {
      database.exec(`ALTER TABLE ${quoteName(table)} DROP COLUMN ${quoteName(column)}`);
      dropped.unshift(column);
    } catch {
      // This one is in use; an earlier one may not be.
    }
  }
  for (const view of views) database.exec(String(view.sql));
  database.exec(dropped.length === excess ? "COMMIT" : "ROLLBACK");
  return dropped.length === excess ? dropped : null;
}

function dropLongDefinitions(database: DatabaseSync): readonly string[] {
  const long = database
    .prepare("SELECT type, name FROM sqlite_schema WHERE octet_length(sql) > ? ORDER BY type = 'table'")
    .all(SQL_BYTES_MAX);
  return long.map(({ type, name }) => {
    removeObject(database, String(name));
    return `The definition of ${type} ${quoteName(String(name))} is longer than D1's ${SQL_BYTES_MAX.toLocaleString("en")} bytes: left out.`;
  });
}

/** A value that the runtime cannot read would fail every query that touches it: a short text says what it was. */
function replaceLongValues(database: DatabaseSync): readonly string[] {
  const size = database
    .prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
    .get();
  if (Number(size?.bytes) <= VALUE_BYTES_MAX) return [];
  return ordinaryTables(database).flatMap((table) => {
    const stored = columnNames(database, table);
    try {
      return stored.flatMap((column) => replaceLongValuesOf(database, table, column));
    } catch (error) {
      return [`The long values of table ${quoteName(table)} could not be looked for (${messageOf(error)}).`];
    }
  });
}

function replaceLongValuesOf(database: DatabaseSync, table: string, column: string): readonly string[] {
  const target = quoteName(table);
  const value = quoteName(column);
  const found = database
    .prepare(`SELECT count(*) AS found FROM ${target} WHERE octet_length(${value}) > ?`)
    .get(VALUE_BYTES_MAX);
  const count = Number(found?.found);
  if (count === 0) return [];
  const note = `'(' || octet_length(${value}) || ' bytes left out)'`;
  database
    .prepare(
      `UPDATE ${target} SET ${value} = CASE typeof(${value}) WHEN 'blob' THEN CAST(${note} AS BLOB) ELSE ${note} END WHERE octet_length(${value}) > ?`,
    )
    .run(VALUE_BYTES_MAX);
  const which = count === 1 ? "One value" : `${count} values`;
  return [
    `${which} of ${target}.${value} longer than ${VALUE_BYTES_MAX.toLocaleString("en")} bytes shown as "(N bytes left out)".`,
  ];
}

function listNames(listed: readonly string[], noun: string): string {
  const shown = listed.slice(0, NAMES_SHOWN_MAX).map(quoteName).join(", ");
  const more = listed.length - NAMES_SHOWN_MAX;
  return `${listed.length} ${noun}${listed.length === 1 ? "" : "s"} (${shown}${more > 0 ? ` and ${more} more` : ""})`;
}
