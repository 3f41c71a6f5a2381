/**
 * Whether anything was lost: every run that was asked is answered, each model call was made once, and the caller's ledger
 * says of runs, outcomes and nano-dollars what the runs say of themselves.
 */

export interface Audited {
  readonly steps: number;
  readonly costUsd: number;
}

export interface Audit {
  readonly runs: number;
  /** Empty when all is well. */
  readonly wrong: readonly string[];
}

/** Of `GET /v1/usage`. */
export interface LedgerFigures {
  readonly days: readonly {
    readonly runs: number;
    readonly outcomes: { readonly [outcome: string]: number };
    readonly spent_usd: number;
    readonly reserved_usd: number;
  }[];
}

/** A run settles its ledger a moment after it ends. */
const PATIENCE_MS = 20_000;
const AGAIN_MS = 50;
const nano = (usd: number): number => Math.round(usd * 1e9);

export async function auditRuns(
  runs: readonly Audited[],
  modelCalls: number,
  usage: () => Promise<LedgerFigures>,
): Promise<Audit> {
  const steps = runs.reduce((sum, run) => sum + run.steps, 0);
  const calls = modelCalls === steps ? [] : [`${steps} model calls were wanted, ${modelCalls} were made`];
  const patientUntil = performance.now() + PATIENCE_MS;
  let wrong = ledgerFaults(runs, await usage());
  while (wrong.length > 0 && performance.now() < patientUntil) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    wrong = ledgerFaults(runs, await usage());
  }
  return { runs: runs.length, wrong: [...calls, ...wrong] };
}

function ledgerFaults(runs: readonly Audited[], { days }: LedgerFigures): readonly string[] {
  const sum = (of: (day: LedgerFigures["days"][number]) => number): number =>
    days.reduce((total, day) => total + of(day), 0);
  const pairs: readonly (readonly [string, number, number])[] = [
    ["runs", sum((day) => day.runs), runs.length],
    ["answered", sum((day) => day.outcomes.answered ?? 0), runs.length],
    [
      "nano-dollars spent",
      sum((day) => nano(day.spent_usd)),
      runs.reduce((total, run) => total + nano(run.costUsd), 0),
    ],
    ["nano-dollars held", sum((day) => nano(day.reserved_usd)), 0],
  ];
  return pairs
    .filter(([, said, wanted]) => said !== wanted)
    .map(([what, said, wanted]) => `the ledger says ${said} ${what}, the runs say ${wanted}`);
}
