/**
 * The limits that a person sets on the page: their names, whether they are right, and which to raise when one of them ended a run.
 * Pure: no I/O, no clock.
 */

export interface LimitField {
  readonly name: string;
  readonly label: string;
}

const BUDGET: LimitField = { name: "budget_usd", label: "Budget, dollars" };
const STEPS: LimitField = { name: "max_steps", label: "Steps" };
const CALLS: LimitField = { name: "max_hops", label: "Tool calls" };
const TIME: LimitField = { name: "wall_clock_s", label: "Time, seconds" };

/** What can be set when a question is asked. */
export const ASK_FIELDS: readonly LimitField[] = [BUDGET, STEPS, CALLS, TIME];

const RAISED_AFTER: { readonly [stopReason: string]: readonly LimitField[] } = {
  budget: [BUDGET, { name: "max_rows_read", label: "Rows read" }, { name: "max_model_calls", label: "Model calls" }],
  max_steps: [STEPS],
  max_hops: [CALLS],
  timeout: [TIME],
  retry_ceiling: [{ name: "max_consecutive_errors", label: "Errors in a row" }],
  error_budget: [{ name: "max_errors", label: "Errors" }],
};

const LABELS = new Map([...ASK_FIELDS, ...Object.values(RAISED_AFTER).flat()].map(({ name, label }) => [name, label]));

const USAGE_OF: { readonly [limit: string]: string } = {
  budget_usd: "cost_usd",
  max_rows_read: "rows_read",
  max_model_calls: "model_calls",
};

/** What a run that ended for `stopReason` needs more of; none when going on is enough. */
export function fieldsToRaise(
  stopReason: string | null,
  limits: { readonly [name: string]: number },
  usage: { readonly [name: string]: number },
): readonly LimitField[] {
  const fields = RAISED_AFTER[stopReason ?? ""] ?? [];
  // "budget" covers three ceilings: the one that is nearest to its limit is the one.
  const share = (field: LimitField): number => (usage[USAGE_OF[field.name] ?? ""] ?? 0) / (limits[field.name] ?? 1);
  return fields.length <= 1 ? fields : fields.toSorted((a, b) => share(b) - share(a)).slice(0, 1);
}

/** A raised limit to propose: twice what it was, and no more than may be asked for. */
export function proposeLimit(current: number, max = Number.POSITIVE_INFINITY): number {
  return Math.min(Number((current * 2).toPrecision(3)), max);
}

export type LimitsRead =
  | { readonly ok: true; readonly limits: { readonly [name: string]: number } }
  /** What is wrong, for the person who typed it. */
  | { readonly ok: false; readonly detail: string };

/** Reads the fields, none above `max` where that is known. Fields left empty are left out. */
export function readLimits(
  texts: { readonly [name: string]: string },
  max: { readonly [name: string]: number } | null,
): LimitsRead {
  const limits: { [name: string]: number } = {};
  for (const [name, text] of Object.entries(texts)) {
    const trimmed = text.trim().replace(",", ".");
    if (trimmed === "") continue;
    const value = Number(trimmed);
    const label = LABELS.get(name) ?? name;
    const most = max?.[name];
    if (!Number.isFinite(value) || value <= 0) return { ok: false, detail: `${label}: enter a number above zero.` };
    if (name.startsWith("max_") && !Number.isInteger(value)) {
      return { ok: false, detail: `${label}: enter a whole number.` };
    }
    if (most !== undefined && value > most)
      return { ok: false, detail: `${label}: ${most} is the most you may ask for.` };
    limits[name] = value;
  }
  return { ok: true, limits };
}

export type ApprovalRead =
  /** Null: as the caller is set. */
  { readonly ok: true; readonly rows: number | null } | { readonly ok: false; readonly detail: string };

/** Rows above which a query waits for a person: a whole number, 0 for every query, at most `max` where one is set. */
export function readApproval(text: string, max: number | null): ApprovalRead {
  const trimmed = text.trim();
  if (trimmed === "") return { ok: true, rows: null };
  const rows = Number(trimmed);
  if (!Number.isSafeInteger(rows) || rows < 0) return { ok: false, detail: "Enter a whole number, 0 for every query." };
  if (max !== null && rows > max) return { ok: false, detail: `At most ${max}: above that a query always waits.` };
  return { ok: true, rows };
}
