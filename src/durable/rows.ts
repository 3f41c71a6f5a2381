/**
 * The rows of a run on the SQLite of its object: one a step.
 *
 * Owns: how a row is written and read back, and that no stored value comes near the platform's 2 MB: a longer text is
 * cut into parts. Leaves to others: the tables (layout.ts), what the texts mean (step-rows.ts, record.ts).
 */
/** Of UTF-16 units, at most 3 bytes each in UTF-8: a part stays under 900 kB, half of what the platform takes. */
const PART_UNITS_MAX = 300_000;

/** What a step has changed in the state, and what it has added to the history: JSON texts. */
export interface StepRow {
  readonly number: number;
  /** Null when a part of it is missing. */
  readonly state: string | null;
  readonly body: string | null;
}

/** Writes row `number`, in place of what stands there. Runs inside a transaction. */
export function writeStepRow(sql: SqlStorage, number: number, state: string, body: string): void {
  const states = cutIntoParts(state);
  const bodies = cutIntoParts(body);
  const write = `INSERT INTO steps (number, state_parts, state, body_parts, body) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET state_parts = excluded.state_parts, state = excluded.state,
      body_parts = excluded.body_parts, body = excluded.body`;
  sql.exec(write, number, states.length, states[0] ?? "", bodies.length, bodies[0] ?? "");
  writeFurtherParts(sql, "state", number, states);
  writeFurtherParts(sql, "body", number, bodies);
}

/** Takes away the parts of row `number` beyond those that stand in the row itself, before it is written anew. */
export function dropFurtherParts(sql: SqlStorage, number: number): void {
  sql.exec("DELETE FROM parts WHERE number = ?", number);
}

/** True when a row of these texts needs more than itself. */
export function isLongRow(state: string, body: string): boolean {
  return state.length > PART_UNITS_MAX || body.length > PART_UNITS_MAX;
}

/** Every row in order of its number. */
export function readStepRows(sql: SqlStorage): StepRow[] {
  const query = "SELECT number, state_parts, state, body_parts, body FROM steps ORDER BY number";
  return sql
    .exec<StoredRow>(query)
    .toArray()
    .map((row) => toStepRow(sql, row));
}

/** The same without what the steps have added, which may be large. */
export function readStateRows(sql: SqlStorage): Pick<StepRow, "number" | "state">[] {
  return sql
    .exec<StoredState>("SELECT number, state_parts, state FROM steps ORDER BY number")
    .toArray()
    .map((row) => ({ number: row.number, state: stateOf(sql, row) }));
}

/** Row `number`, or null when it is missing or lacks a part. */
export function readStepRow(sql: SqlStorage, number: number): { readonly state: string; readonly body: string } | null {
  const query = "SELECT number, state_parts, state, body_parts, body FROM steps WHERE number = ?";
  const row = sql.exec<StoredRow>(query, number).toArray()[0];
  const { state, body } = row === undefined ? { state: null, body: null } : toStepRow(sql, row);
  return state === null || body === null ? null : { state, body };
}

/** A number above that of every row. */
export function nextStepNumber(sql: SqlStorage): number {
  return sql.exec<{ next: number }>("SELECT coalesce(max(number) + 1, 0) AS next FROM steps").one().next;
}

type StoredState = { readonly number: number; readonly state_parts: number; readonly state: string };
type StoredRow = StoredState & { readonly body_parts: number; readonly body: string };

function stateOf(sql: SqlStorage, row: StoredState): string | null {
  return wholeText(sql, "state", row.number, row.state_parts, row.state);
}

function toStepRow(sql: SqlStorage, row: StoredRow): StepRow {
  const body = wholeText(sql, "body", row.number, row.body_parts, row.body);
  return { number: row.number, state: stateOf(sql, row), body };
}

function writeFurtherParts(sql: SqlStorage, kind: string, number: number, parts: readonly string[]): void {
  parts.slice(1).forEach((body, index) => {
    sql.exec("INSERT INTO parts (kind, number, part, body) VALUES (?, ?, ?, ?)", kind, number, index + 1, body);
  });
}

function wholeText(sql: SqlStorage, kind: string, number: number, parts: number, first: string): string | null {
  if (parts <= 1) return first;
  const query = "SELECT body FROM parts WHERE kind = ? AND number = ? ORDER BY part";
  const rest = sql.exec<{ body: string }>(query, kind, number).toArray();
  if (rest.length !== parts - 1) return null;
  return first + rest.map((part) => part.body).join("");
}

/** Cuts never between the two halves of a surrogate pair: each alone would be stored as a replacement character. */
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
