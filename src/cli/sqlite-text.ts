/** Small texts of SQLite: what a thrown error says, names and literals quoted. Pure: no I/O, no clock. */

const SQLITE_BUSY = 5;

/** True when another connection holds a lock that kept the statement out. */
export function isSqliteBusy(error: unknown): boolean {
  // The low byte is the primary code; SQLITE_BUSY_RECOVERY and others extend it.
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}

/** Any thrown value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A name as SQL text, whatever characters it holds. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
