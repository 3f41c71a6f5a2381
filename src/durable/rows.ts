/**
 * Append-only numbered rows of JSON text, and small named facts, on the SQLite of a run object.
 *
 * Owns: that no stored value comes near the platform's 2 MB: a longer text is cut into parts. Leaves to others: the
 * tables (layout.ts), what the texts mean (journal.ts, record.ts).
 */
/** Of UTF-16 units, at most 3 bytes each in UTF-8: a part stays under 900 kB, half of what the platform takes. */
const PART_UNITS_MAX = 300_000;

export const ROW_KINDS = ["pinned", "messages", "events", "results", "result_rows"] as const;
export type RowKind = (typeof ROW_KINDS)[number];

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

/** Cuts never between the two halves of a surrogate pair: each alone would be stored as a replacement character. */
export function cutIntoParts(text: string): string[] {
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
