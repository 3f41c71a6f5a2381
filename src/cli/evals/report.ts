/**
 * What an eval says: a table for people, JSON for machines, and whether it is worse than a committed baseline.
 * Pure: no I/O, no clock.
 */
import * as z from "zod";
import type { Attempt } from "./run-set.ts";
import { bootstrapInterval, mean, passAtK, passHatK, quantile } from "./statistics.ts";

const spreadSchema = z.object({ median: z.number(), p95: z.number(), total: z.number() });

export const reportSchema = z.object({
  set: z.string(),
  model: z.string(),
  questions: z.number(),
  repeat: z.number(),
  /** Share of attempts that passed, with a 95 % bootstrap interval over the questions. */
  accuracy: z.number(),
  interval: z.tuple([z.number(), z.number()]),
  pass_at_k: z.number(),
  pass_hat_k: z.number(),
  by_tag: z.record(
    z.string(),
    z.object({
      questions: z.number(),
      accuracy: z.number(),
      /** Absent in reports from before it was told. */
      interval: z.tuple([z.number(), z.number()]).optional(),
    }),
  ),
  usd: spreadSchema,
  tokens: spreadSchema,
  seconds: spreadSchema,
  steps: spreadSchema,
  queries: spreadSchema,
  rows_read: spreadSchema,
  waste: z.number(),
  stop_reasons: z.record(z.string(), z.number()),
  /** Ids of questions that did not pass every time, with the reason of the first miss. */
  failed: z.record(z.string(), z.string()),
});

export type Report = z.infer<typeof reportSchema>;

/** Any fixed number: the interval is then the same for the same attempts. */
const BOOTSTRAP_SEED = 1;

export function toReport(set: string, model: string, repeat: number, attempts: readonly Attempt[]): Report {
  const byId = groupBy(attempts, (attempt) => [attempt.id]);
  const passed = (some: readonly Attempt[]): number => some.filter((attempt) => attempt.passed).length;
  const groups = [...byId.values()];
  const values = attempts.map((attempt) => Number(attempt.passed));
  const intervalOf = (some: readonly Attempt[]): [number, number] => {
    const byQuestion = groupBy(some, (attempt) => [attempt.id]);
    const tries = [...byQuestion.values()].map((group) => group.map((attempt) => Number(attempt.passed)));
    return [...bootstrapInterval(tries, BOOTSTRAP_SEED)];
  };
  const failed = groups.flatMap((group) => group.find((attempt) => !attempt.passed) ?? []);
  const byTag = groupBy(attempts, (attempt) => attempt.tags);
  return {
    set,
    model,
    questions: byId.size,
    repeat,
    accuracy: mean(values),
    interval: intervalOf(attempts),
    pass_at_k: mean(groups.map((group) => passAtK(passed(group), group.length, group.length))),
    pass_hat_k: mean(groups.map((group) => passHatK(passed(group), group.length, group.length))),
    by_tag: Object.fromEntries(
      [...byTag].sort().map(([tag, some]) => [
        tag,
        {
          questions: new Set(some.map((attempt) => attempt.id)).size,
          accuracy: passed(some) / some.length,
          interval: intervalOf(some),
        },
      ]),
    ),
    usd: spread(attempts, (attempt) => attempt.usd),
    tokens: spread(attempts, (attempt) => attempt.tokens),
    seconds: spread(attempts, (attempt) => attempt.seconds),
    steps: spread(attempts, (attempt) => attempt.steps),
    queries: spread(attempts, (attempt) => attempt.queries),
    rows_read: spread(attempts, (attempt) => attempt.rowsRead),
    waste: mean(attempts.map((attempt) => attempt.waste)),
    stop_reasons: Object.fromEntries(
      [...groupBy(attempts, (attempt) => [attempt.stopReason])].map(([reason, some]) => [reason, some.length]),
    ),
    failed: Object.fromEntries(failed.map((attempt) => [attempt.id, attempt.why])),
  };
}

function groupBy(
  attempts: readonly Attempt[],
  keysOf: (attempt: Attempt) => readonly string[],
): Map<string, Attempt[]> {
  const groups = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    for (const key of keysOf(attempt)) groups.set(key, [...(groups.get(key) ?? []), attempt]);
  }
  return groups;
}

function spread(attempts: readonly Attempt[], pick: (attempt: Attempt) => number) {
  const values = attempts.map(pick);
  const total = values.reduce((sum, value) => sum + value, 0);
  return { median: quantile(values, 0.5), p95: quantile(values, 0.95), total };
}

/** For people. */
export function renderEvalReport(report: Report): string {
  const share = (value: number): string => `${(value * 100).toFixed(1)} %`;
  const number = (value: number): string => String(Number(value.toPrecision(4)));
  const row = (name: string, { median, p95, total }: Report["usd"]): string =>
    `${name.padEnd(10)} ${number(median).padStart(10)} ${number(p95).padStart(10)} ${number(total).padStart(12)}`;
  const [low, high] = report.interval;
  const tags = Object.entries(report.by_tag).map(
    ([tag, { questions, accuracy, interval }]) =>
      `  ${tag.padEnd(36)} ${String(questions).padStart(5)}  ${share(accuracy).padStart(7)}` +
      `${interval === undefined ? "" : `  (${share(interval[0])} to ${share(interval[1])})`}`,
  );
  const failed = Object.entries(report.failed).map(([id, why]) => `  ${id}: ${why}`);
  return [
    `${report.set}, ${report.model}: ${report.questions} questions, ${report.repeat} time(s) each`,
    `accuracy ${share(report.accuracy)} (95 %: ${share(low)} to ${share(high)}), ` +
      `pass@${report.repeat} ${share(report.pass_at_k)}, pass^${report.repeat} ${share(report.pass_hat_k)}`,
    "",
    `${"".padEnd(10)} ${"median".padStart(10)} ${"p95".padStart(10)} ${"total".padStart(12)}`,
    row("dollars", report.usd),
    row("tokens", report.tokens),
    row("seconds", report.seconds),
    row("steps", report.steps),
    row("queries", report.queries),
    row("rows read", report.rows_read),
    `waste ${share(report.waste)} of queries; stop reasons: ${JSON.stringify(report.stop_reasons)}`,
    ...(tags.length > 0 ? ["", "by tag", ...tags] : []),
    ...(failed.length > 0 ? ["", "not passed", ...failed] : []),
    "",
  ].join("\n");
}

/** What is worse than the baseline by more than the tolerance; empty when nothing is. */
export function compareReports(report: Report, baseline: Report, tolerance: number): string[] {
  const other = (["set", "model", "questions", "repeat"] as const).filter((name) => report[name] !== baseline[name]);
  if (other.length > 0) return [`the baseline is of another ${other.join(", ")}`];
  const worse: string[] = [];
  if (report.accuracy < baseline.accuracy - tolerance) {
    worse.push(`accuracy ${report.accuracy.toFixed(3)}, baseline ${baseline.accuracy.toFixed(3)}`);
  }
  // Money and steps may move by the same share of themselves; less than a tenth of a cent is rows read, and no money.
  for (const [name, ours, theirs, slack] of [
    ["dollars", report.usd.total, baseline.usd.total, 0.001],
    ["steps", report.steps.total, baseline.steps.total, 0],
  ] as const) {
    if (ours > theirs * (1 + tolerance) + slack) worse.push(`${name} ${ours}, baseline ${theirs}`);
  }
  return worse;
}
