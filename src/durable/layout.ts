/**
 * The tables of a run object and their versions.
 *
 * Owns: the layout, and that an id which never became a run leaves nothing behind. Leaves to others: rows (rows.ts), what
 * becomes of the tables of an older layout (layout-one.ts).
 *
 * STORED CONTRACT. A change of layout is one more entry of `MIGRATIONS`, and `NEWEST` is what they lead to; entries are
 * never edited. Tables that a newer release has extended are left as they are: for minutes after a deploy, and after a
 * step back, old code reads them.
 */
import { carryLayoutOne } from "./layout-one.ts";

type Migration = (sql: SqlStorage) => void;

/** From layout N to layout N + 1, N counted from 1. */
export const MIGRATIONS: readonly Migration[] = [carryLayoutOne];

/** The tables of an object that is new. */
export const NEWEST = `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE steps (
    number INTEGER PRIMARY KEY, state_parts INTEGER NOT NULL, state TEXT NOT NULL,
    body_parts INTEGER NOT NULL, body TEXT NOT NULL
  );
  CREATE TABLE parts (
    kind TEXT NOT NULL, number INTEGER NOT NULL, part INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (kind, number, part)
  );`;

/** The fact that is written last when a run begins: its rows may come before. */
export const BEGUN = "begun";

/** True when anything was ever written here. Reading this writes nothing. */
export function hasTables(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'versions'").toArray().length > 0;
}

/** True when a run has begun here. */
export function hasRun(sql: SqlStorage): boolean {
  if (!hasTables(sql)) return false;
  // Settings alone are a run of layout 1, or one whose record is broken and has to say so.
  return sql.exec("SELECT 1 FROM facts WHERE name IN (?, 'settings')", BEGUN).toArray().length > 0;
}

/** Brings the tables to the newest layout, creating them if need be. Call it inside a transaction. */
export function migrate(sql: SqlStorage, now: number, migrations: readonly Migration[] = MIGRATIONS): void {
  sql.exec("CREATE TABLE IF NOT EXISTS versions (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)");
  const noted = sql.exec<{ version: number | null }>("SELECT max(version) AS version FROM versions").one().version;
  const applied = noted ?? versionByTables(sql);
  const noteVersion = (version: number) =>
    sql.exec("INSERT INTO versions (version, applied_at) VALUES (?, ?)", version, now);
  if (applied === 0) {
    sql.exec(NEWEST);
    noteVersion(MIGRATIONS.length + 1);
    return;
  }
  if (noted === null) noteVersion(applied);
  migrations.slice(applied - 1).forEach((carry, index) => {
    carry(sql);
    noteVersion(applied + index + 1);
  });
}

/** The layout of an object that has lost the note of it, by its tables; 0: there are none. */
function versionByTables(sql: SqlStorage): number {
  const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
  const names = new Set(tables.map(({ name }) => name));
  if (names.has("steps")) return MIGRATIONS.length + 1;
  return names.has("head") ? 1 : 0;
}
