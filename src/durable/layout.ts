/**
 * The tables of a run object and their versions.
 *
 * Owns: the layout, and that an id which never became a run leaves nothing behind. Leaves to others: rows (rows.ts).
 *
 * STORED CONTRACT. A change of layout is one more entry of `MIGRATIONS`; entries are never edited. Tables that a newer
 * release has extended are left as they are: for minutes after a deploy, and after a step back, old code reads them.
 */
/** One script for each layout, in order. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL);
   CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE checkpoints (step INTEGER PRIMARY KEY, state TEXT NOT NULL);
   CREATE TABLE pinned (number INTEGER PRIMARY KEY, parts INTEGER NOT NULL, body TEXT NOT NULL);
   CREATE TABLE messages (number INTEGER PRIMARY KEY, parts INTEGER NOT NULL, body TEXT NOT NULL);
   CREATE TABLE events (number INTEGER PRIMARY KEY, parts INTEGER NOT NULL, body TEXT NOT NULL);
   CREATE TABLE results (number INTEGER PRIMARY KEY, parts INTEGER NOT NULL, body TEXT NOT NULL);
   CREATE TABLE result_rows (number INTEGER PRIMARY KEY, parts INTEGER NOT NULL, body TEXT NOT NULL);
   CREATE TABLE parts (
     kind TEXT NOT NULL, number INTEGER NOT NULL, part INTEGER NOT NULL, body TEXT NOT NULL,
     PRIMARY KEY (kind, number, part)
   );`,
];

/** True when anything was ever written here. Reading this writes nothing. */
export function hasTables(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'versions'").toArray().length > 0;
}

/** True when a run has begun here: its last part is its head. */
export function hasRun(sql: SqlStorage): boolean {
  if (!hasTables(sql)) return false;
  const query = "SELECT 1 FROM head UNION ALL SELECT 1 FROM facts WHERE name = 'settings'";
  return sql.exec(query).toArray().length > 0;
}

/** Brings the tables to the newest layout, creating them if need be. Call it inside a transaction. */
export function migrate(sql: SqlStorage, now: number, migrations: readonly string[] = MIGRATIONS): void {
  sql.exec("CREATE TABLE IF NOT EXISTS versions (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)");
  const applied = sql.exec<{ version: number }>("SELECT max(version) AS version FROM versions").one().version ?? 0;
  migrations.slice(applied).forEach((script, index) => {
    sql.exec(script);
    sql.exec("INSERT INTO versions (version, applied_at) VALUES (?, ?)", applied + index + 1, now);
  });
}
