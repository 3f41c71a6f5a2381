/**
 * Small named values beside a run: its settings, what is pinned for its life, counters of its upkeep.
 *
 * Leaves to others: what each means (settings.ts, record.ts, failing-wakes.ts, kin.ts). Each is far below the platform's
 * 2 MB: the longest is the system text, whose schema is bounded (agent/prompt.ts).
 */
/** The value, or null when there is none. */
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
