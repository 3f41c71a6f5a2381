/**
 * The tables of a run object: their versions, and append-only numbered rows of JSON text.
 *
 * Owns: the layout, and that no stored value comes near the platform's 2 MB: a longer text is cut into parts. Leaves to
 * others: what the texts mean (journal.ts). Nothing is written for an id that never became a run.
 *
 * STORED CONTRACT. A change of layout is one more entry of `MIGRATIONS`; entries are never edited.
 */
/** Of UTF-16 units, at most 3 bytes each in UTF-8: a part stays under 900 kB, half of what the platform takes. */
const PART_UNITS_MAX = 300_000;

const MIGRATIONS: readonly string[] = [
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

export const ROW_KINDS = ["pinned", "messages", "events", "results", "result_rows"] as const;
export type RowKind = (typeof ROW_KINDS)[number];

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
export function migrate(sql: SqlStorage, now: number): void {
  sql.exec("CREATE TABLE IF NOT EXISTS versions (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)");
  const applied = sql.exec<{ version: number }>("SELECT max(version) AS version FROM versions").one().version ?? 0;
  MIGRATIONS.slice(applied).forEach((script, index) => {
    sql.exec(script);
    sql.exec("INSERT INTO versions (version, applied_at) VALUES (?, ?)", applied + index + 1, now);
  });
}

/** Appends a row; rows are never edited. */
export function appendRow(sql: SqlStorage, kind: RowKind, number: number, text: string): void {
  const parts = cutIntoParts(text);
  sql.exec(`INSERT INTO ${kind} (number, parts, body) VALUES (?, ?, ?)`, number, parts.length, parts[0] ?? "");
  parts.slice(1).forEach((body, index) => {
    sql.exec("INSERT INTO parts (kind, number, part, body) VALUES (?, ?, ?, ?)", kind, number, index + 1, body);
  });
}

/** The texts of all rows in order, up to the first one that is missing or lacks a part. */
export function readRows(sql: SqlStorage, kind: RowKind): string[] {
  const query = `SELECT number, parts, body FROM ${kind} ORDER BY number`;
  const texts: string[] = [];
  for (const row of sql.exec<StoredRow>(query).toArray()) {
    const text = row.number === texts.length ? wholeText(sql, kind, row) : null;
    if (text === null) break;
    texts.push(text);
  }
  return texts;
}

/** The number that the next row gets. */
export function countRows(sql: SqlStorage, kind: RowKind): number {
  return sql.exec<{ next: number }>(`SELECT coalesce(max(number) + 1, 0) AS next FROM ${kind}`).one().next;
}

/** The text of one row, or null. */
export function readRow(sql: SqlStorage, kind: RowKind, number: number): string | null {
  const query = `SELECT number, parts, body FROM ${kind} WHERE number = ?`;
  const row = sql.exec<StoredRow>(query, number).toArray()[0];
  return row === undefined ? null : wholeText(sql, kind, row);
}

/** A small named value: settings of the run, counters of its upkeep. */
export function readFact(sql: SqlStorage, name: string): string | null {
  return sql.exec<{ value: string }>("SELECT value FROM facts WHERE name = ?", name).toArray()[0]?.value ?? null;
}

export function writeFact(sql: SqlStorage, name: string, value: string): void {
  sql.exec(
    "INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
    name,
    value,
  );
}

type StoredRow = { readonly number: number; readonly parts: number; readonly body: string };

function wholeText(sql: SqlStorage, kind: RowKind, row: StoredRow): string | null {
  if (row.parts <= 1) return row.body;
  const query = "SELECT body FROM parts WHERE kind = ? AND number = ? ORDER BY part";
  const rest = sql.exec<{ body: string }>(query, kind, row.number).toArray();
  if (rest.length !== row.parts - 1) return null;
  return row.body + rest.map((part) => part.body).join("");
}

/** Never between the two halves of a surrogate pair: each alone would be stored as a replacement character. */
function cutIntoParts(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  while (start < text.length) {
    let end = Math.min(text.length, start + PART_UNITS_MAX);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end -= 1;
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}
