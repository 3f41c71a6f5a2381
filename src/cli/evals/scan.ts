/**
 * A scan over many finished runs: is a problem one of the system or of one model? (mechanism B25)
 *
 * Owns: the figures of a run and their sums by model, and how they read. Leaves to others: what a step was worth
 * (agent/postmortem.ts), reading files (transcript-file.ts). Pure: no I/O, no clock.
 */
import { type CostByPhase, examineRun, type Postmortem, SCORES } from "../../agent/postmortem.ts";
import { mean } from "./statistics.ts";
import type { Transcript } from "./transcript-file.ts";

export interface ScannedRun {
  readonly id: string;
  readonly model: string;
  readonly outcome: string;
  readonly stop_reason: string;
  readonly usd: number;
  readonly postmortem: Postmortem;
  readonly cost_by_phase: CostByPhase;
}

export interface ModelScan {
  readonly model: string;
  readonly runs: number;
  readonly answered: number;
  /** Runs with at least one cycle, and cycles in all. */
  readonly runs_with_cycles: number;
  readonly cycles: number;
  readonly cycle_period_max: number;
  readonly cycle_repetitions_max: number;
  readonly steps: Postmortem["steps"];
  readonly waste: number;
  readonly recoveries: number;
  readonly usd: number;
  readonly cost_by_phase: CostByPhase;
}

export function scanRun({ run, events }: Transcript): ScannedRun {
  const { postmortem, costByPhase } = examineRun(events, run.receipt.cost_usd);
  return {
    id: run.id,
    model: run.model,
    outcome: run.outcome ?? "unfinished",
    stop_reason: run.stop_reason ?? "",
    usd: run.receipt.cost_usd,
    postmortem,
    cost_by_phase: costByPhase,
  };
}

/** One line a model, by name. */
export function scanByModel(runs: readonly ScannedRun[]): readonly ModelScan[] {
  const models = [...new Set(runs.map((run) => run.model))].sort();
  return models.map((model) => {
    const own = runs.filter((run) => run.model === model);
    const sum = (pick: (run: ScannedRun) => number): number => own.reduce((total, run) => total + pick(run), 0);
    const most = (pick: (run: ScannedRun) => number): number => Math.max(0, ...own.map(pick));
    const phase = (name: keyof CostByPhase): number => sum((run) => run.cost_by_phase[name]);
    const score = (name: (typeof SCORES)[number]): number => sum((run) => run.postmortem.steps[name]);
    return {
      model,
      runs: own.length,
      answered: own.filter((run) => run.outcome === "answered").length,
      runs_with_cycles: own.filter((run) => run.postmortem.cycles > 0).length,
      cycles: sum((run) => run.postmortem.cycles),
      cycle_period_max: most((run) => run.postmortem.cycle_period_max),
      cycle_repetitions_max: most((run) => run.postmortem.cycle_repetitions_max),
      steps: {
        productive: score("productive"),
        neutral: score("neutral"),
        wasteful: score("wasteful"),
        harmful: score("harmful"),
        spinning: score("spinning"),
      },
      waste: mean(own.map((run) => run.postmortem.waste)),
      recoveries: sum((run) => run.postmortem.recoveries),
      usd: sum((run) => run.usd),
      cost_by_phase: {
        schema_usd: phase("schema_usd"),
        reasoning_usd: phase("reasoning_usd"),
        recovery_usd: phase("recovery_usd"),
        answer_usd: phase("answer_usd"),
        queries_usd: phase("queries_usd"),
      },
    };
  });
}

/** For people: the models, then the runs that deserve a look. */
export function renderScan(runs: readonly ScannedRun[]): string {
  const usd = (value: number): string => `$${Number(value.toPrecision(3))}`;
  const lines = scanByModel(runs).flatMap((each) => [
    `${each.model}: ${each.runs} runs, ${each.answered} answered, ${usd(each.usd)}`,
    `  cycles: ${each.cycles} in ${each.runs_with_cycles} runs, longest period ${each.cycle_period_max}, most repetitions ${each.cycle_repetitions_max}`,
    `  steps: ${SCORES.map((score) => `${score} ${each.steps[score]}`).join(", ")}; waste ${(each.waste * 100).toFixed(1)} %; recoveries ${each.recoveries}`,
    `  dollars: ${Object.entries(each.cost_by_phase)
      .map(([name, value]) => `${name.replace("_usd", "")} ${usd(value)}`)
      .join(", ")}`,
  ]);
  const odd = runs.filter(({ postmortem }) => postmortem.cycles > 0 || postmortem.waste >= 0.5);
  const looks = odd.map(
    ({ id, model, stop_reason, postmortem: { cycles, cycle_period_max, cycle_repetitions_max, waste } }) =>
      `  ${id} (${model}, ${stop_reason}): ${cycles} cycles, period ${cycle_period_max}, repetitions ${cycle_repetitions_max}, waste ${(waste * 100).toFixed(0)} %`,
  );
  return [...lines, ...(odd.length > 0 ? ["worth a look", ...looks] : []), ""].join("\n");
}
