/**
 * One checkpoint of the head for each step, for `continue` and `fork`, in a form whose size depends on that step alone.
 *
 * Owns: the stored form: the first checkpoint is whole; a later one holds the fields in which it differs from the first,
 * and of the detector's window only the calls since the checkpoint before, with the number of older ones that still
 * stand in the window. Leaves to others: when a state is a checkpoint (journal.ts), what it means (agent/).
 *
 * STORED CONTRACT: a whole state at any step is read too.
 */
import * as z from "zod";
import type { AgentState } from "../agent/state.ts";
import { decodeState, encodeState } from "../agent/state-record.ts";

/** Stands for the question, which would else be repeated every step. */
const QUESTION_ELSEWHERE = "-";

interface CheckpointRow {
  readonly step: number;
  readonly state: string;
}

const deltaSchema = z.strictObject({
  changed: z.record(z.string(), z.unknown()),
  /** Calls since the checkpoint before. */
  recent: z.array(z.looseObject({ step: z.int() })),
  /** Of the calls before that, how many of the newest are in the window. */
  older: z.int().min(0),
});

/** Keeps `state` as the checkpoint of its step. Runs inside a transaction. */
export function writeCheckpoint(sql: SqlStorage, state: AgentState): void {
  const { steps } = state.usage;
  const earlier = `SELECT (SELECT state FROM checkpoints WHERE step < ?1 ORDER BY step LIMIT 1) AS base,
    (SELECT max(step) FROM checkpoints WHERE step < ?1) AS previous`;
  const { base, previous } = sql.exec<{ base: string | null; previous: number | null }>(earlier, steps).one();
  const whole = { ...state, question: QUESTION_ELSEWHERE };
  const text = base === null ? encodeState(whole) : encodeDelta(whole, base, previous ?? 0);
  const insert = "INSERT INTO checkpoints (step, state) VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state";
  sql.exec(insert, steps, text);
}

/** The checkpoint of step `step`, or null when there is none that can be read. */
export function readCheckpoint(sql: SqlStorage, step: number, question: string): AgentState | null {
  const rows = rowsUpTo(sql, step);
  return rows.at(-1)?.step === step ? decodeLast(rows, question) : null;
}

/** Every checkpoint that can be read, in order. */
export function readCheckpoints(sql: SqlStorage, question: string): readonly AgentState[] {
  const rows = rowsUpTo(sql, Number.MAX_SAFE_INTEGER);
  return rows.flatMap((_, index) => decodeLast(rows.slice(0, index + 1), question) ?? []);
}

/** The newest checkpoint that can be read, or null. */
export function newestCheckpoint(sql: SqlStorage, question: string): AgentState | null {
  const rows = rowsUpTo(sql, Number.MAX_SAFE_INTEGER);
  for (let count = rows.length; count > 0; count -= 1) {
    const state = decodeLast(rows.slice(0, count), question);
    if (state !== null) return state;
  }
  return null;
}

/** Number of the last step that left one. */
export function lastCheckpointStep(sql: SqlStorage): number {
  return sql.exec<{ step: number }>("SELECT coalesce(max(step), 0) AS step FROM checkpoints").one().step;
}

/** Stored forms in order, for a run that carries on from step `step`. */
export function rowsUpTo(sql: SqlStorage, step: number): readonly CheckpointRow[] {
  const query = "SELECT step, state FROM checkpoints WHERE step <= ? ORDER BY step";
  return sql.exec<{ step: number; state: string }>(query, step).toArray();
}

/** Takes over a stored form as it is. */
export function copyCheckpoint(sql: SqlStorage, row: CheckpointRow): void {
  sql.exec("INSERT INTO checkpoints (step, state) VALUES (?, ?)", row.step, row.state);
}

function encodeDelta(state: AgentState, base: string, previousStep: number): string {
  const first = parseObject(base) ?? {};
  const { recent, ...fields } = state;
  const changed = Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(first[name])),
  );
  const own = recent.filter((call) => call.step > previousStep);
  return JSON.stringify({ changed, recent: own, older: recent.length - own.length });
}

/** The state that the last of `rows` stands for; the rows before it hold what it leaves out. */
function decodeLast(rows: readonly CheckpointRow[], question: string): AgentState | null {
  const last = parseObject(rows.at(-1)?.state ?? "");
  const delta = deltaSchema.safeParse(last);
  const whole = delta.success ? layOver(rows, delta.data) : last;
  if (whole === null) return null;
  const decoded = decodeState(JSON.stringify({ ...whole, question }));
  return decoded.ok ? decoded.value : null;
}

function layOver(rows: readonly CheckpointRow[], delta: z.infer<typeof deltaSchema>) {
  const first = parseObject(rows[0]?.state ?? "");
  if (first === null) return null;
  const { older } = delta;
  const before =
    older === 0
      ? []
      : rows
          .slice(0, -1)
          .flatMap((row) => recentOf(row.state))
          .slice(-older);
  return { ...first, ...delta.changed, recent: [...before, ...delta.recent] };
}

function recentOf(text: string): readonly unknown[] {
  const recent = parseObject(text)?.recent;
  return Array.isArray(recent) ? recent : [];
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed = z.record(z.string(), z.unknown()).safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    // Torn text is no checkpoint; the one before it may be.
    return null;
  }
}
