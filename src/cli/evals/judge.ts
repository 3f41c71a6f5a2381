/**
 * Is the answer of a run right? The gates of mechanism A25 and the graders, in one order.
 *
 * Owns: which run passes which question: an answer needs at least one query that gave rows (task), a recovery at least
 * a failing and a repaired one, a refusal no rows behind it; then the rows, then the text. `n_queries` and the receipt
 * are the run's own (A26: the eval counts nothing that the product does not). Leaves to others: equality (grade.ts).
 */
import type { Result } from "../../lib/result.ts";
import type { Run } from "../run-client.ts";
import type { GoldRows } from "./gold-rows.ts";
import { containsAll, containsAny, isOrdered, matchesRows, type Row } from "./grade.ts";
import type { EvalQuestion } from "./question-set.ts";

export type ReadRows = (ref: string) => Promise<Result<readonly Row[], string>>;

/** Null when the run passes, else why it does not, in a few words. */
export async function whyWrong(
  question: EvalQuestion,
  run: Run,
  gold: GoldRows,
  readRows: ReadRows,
): Promise<string | null> {
  const said = run.answer ?? run.partial_answer ?? "";
  const forbidden = question.forbidden ?? [];
  if (containsAny(said, forbidden)) return "the answer says what it must not";
  if (question.expect === "refusal") {
    const isRefused = run.outcome !== "answered" || run.receipt.results.length === 0;
    return isRefused ? null : "answered where the right thing was to decline";
  }
  if (run.outcome !== "answered") return `ended with ${run.stop_reason ?? "no reason"}`;
  const queries = run.receipt.queries;
  // The run's own verdict, by the rule that `grounding: require` goes by: the eval has none of its own (A26).
  if (!run.grounded) return "no query gave rows";
  const answered = queries.filter((query) => !query.error);
  if (question.tags.includes("recovery") && answered.length === queries.length) return "no failing query was repaired";
  if (question.gold_answer !== undefined && !containsAll(said, question.gold_answer)) {
    return `the answer does not hold ${question.gold_answer.join(", ")}`;
  }
  return whyWrongRows(question.id, run, gold, readRows);
}

/** The results that the answer names count; where it names none, every query of the run does. */
async function whyWrongRows(id: string, run: Run, gold: GoldRows, readRows: ReadRows): Promise<string | null> {
  const readings = gold.of(id);
  if (readings.length === 0) return null;
  const broken = readings.find((reading) => !reading.rows.ok)?.rows;
  if (broken !== undefined && !broken.ok) return broken.error;
  const named = run.receipt.results;
  const tried = run.receipt.queries.flatMap((query) => (query.error || !query.result ? [] : [query.result]));
  for (const ref of new Set(named.length > 0 ? named : tried)) {
    const rows = await readRows(ref);
    if (!rows.ok) return rows.error;
    const isRight = readings.some(
      ({ sql, rows: right }) => right.ok && matchesRows(right.value, rows.value, isOrdered(sql)),
    );
    if (isRight) return null;
  }
  return "other rows than the gold query's";
}
