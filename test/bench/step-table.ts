/**
 * The table of steps: every contender runs the same conversation, turn by turn, at so many steps and so many runs at once.
 * Owns: rounds, medians, ratios, lines. Leaves to others: the contenders (contender.ts, peers.ts).
 */
import type { Contender } from "./contender.ts";

export interface Measured {
  readonly name: string;
  readonly steps: number;
  readonly runs_at_once: number;
  readonly wall_ms_a_run: number;
  readonly cpu_ms_a_run: number;
  readonly wall_ms_a_step: number;
  readonly cpu_ms_a_step: number;
  readonly value_bytes: number;
  readonly file_bytes: number;
}

export interface Plan {
  readonly steps: readonly number[];
  readonly runs: readonly number[];
  readonly rounds: number;
  /** Every number of runs at every number of steps. */
  readonly isFull: boolean;
}

/** Steps a contender makes at least: a tick of the CPU clock is 10 ms. */
const STEPS_MIN = 320;
/** More runs at once than this are measured at the fewest steps only, in one round: what counts there is what is lost. */
const CROWD_MIN = 100;

export async function measureSteps(
  contenders: readonly Contender[],
  plan: Plan,
  show: (measured: Measured, before: readonly Measured[]) => void,
): Promise<readonly Measured[]> {
  const all: Measured[] = [];
  for (const contender of contenders) await contender.run(`warm-${contender.name}`, 32);
  for (const steps of plan.steps) {
    for (const atOnce of plan.runs) {
      if (atOnce >= CROWD_MIN && !plan.isFull && steps !== Math.min(...plan.steps)) continue;
      for (const measured of await measureAt(contenders, steps, atOnce, plan.rounds)) {
        all.push(measured);
        show(measured, all);
      }
    }
  }
  return all;
}

interface Round {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly conversation: string;
}

async function measureAt(
  contenders: readonly Contender[],
  steps: number,
  atOnce: number,
  rounds: number,
): Promise<readonly Measured[]> {
  const found = new Map<string, Round[]>(contenders.map((contender) => [contender.name, []]));
  // Turn by turn, so that what else the machine does meets all alike; the median counts.
  const count = atOnce >= CROWD_MIN ? 1 : Math.max(rounds, Math.ceil(STEPS_MIN / (steps * atOnce)));
  for (let turn = 0; turn < count; turn += 1) {
    for (const contender of contenders) {
      found.get(contender.name)?.push(await round(contender, `${steps}-${atOnce}-${turn}`, steps, atOnce));
    }
  }
  const measured: Measured[] = [];
  for (const contender of contenders) {
    const own = found.get(contender.name) ?? [];
    const wallMs = median(own.map((each) => each.wallMs));
    const cpuMs = median(own.map((each) => each.cpuMs)) / atOnce;
    const stored = await contender.stored(own.at(-1)?.conversation ?? "");
    measured.push({
      name: contender.name,
      steps,
      runs_at_once: atOnce,
      wall_ms_a_run: wallMs,
      cpu_ms_a_run: cpuMs,
      wall_ms_a_step: wallMs / steps,
      cpu_ms_a_step: cpuMs / steps,
      value_bytes: stored.values,
      file_bytes: stored.file,
    });
  }
  return measured;
}

async function round(contender: Contender, name: string, steps: number, atOnce: number): Promise<Round> {
  const batch = Array.from({ length: atOnce }, (_, index) => `${contender.name}-${name}-${index}`);
  const cpuBefore = contender.cpuSeconds();
  const startedAt = performance.now();
  await Promise.all(batch.map((conversation) => contender.run(conversation, steps)));
  const wallMs = performance.now() - startedAt;
  return { wallMs, cpuMs: (contender.cpuSeconds() - cpuBefore) * 1_000, conversation: batch[0] ?? "" };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2;
}

/** With the ratio to the floor of the same driver, or for peers to Querent. */
export function toLine(measured: Measured, before: readonly Measured[]): string {
  const base =
    { "querent-alarm": "floor-alarm", "querent-caller": "floor-loop", "querent-caller-known": "floor-loop" }[
      measured.name
    ] ?? "querent-caller";
  const other = before.find(
    (each) => each.name === base && each.steps === measured.steps && each.runs_at_once === measured.runs_at_once,
  );
  const isFloor = measured.name.startsWith("floor-");
  const ratio =
    other === undefined || other.name === measured.name || isFloor
      ? ""
      : `  wall ${(measured.wall_ms_a_run / other.wall_ms_a_run).toFixed(2)} × · CPU ${(measured.cpu_ms_a_run / other.cpu_ms_a_run).toFixed(2)} × ${base}`;
  return (
    `${measured.name.padEnd(22)} ${String(measured.steps).padStart(4)} steps × ${String(measured.runs_at_once).padStart(3)}` +
    `  a step: wall ${measured.wall_ms_a_step.toFixed(2).padStart(7)} ms, CPU ${measured.cpu_ms_a_step.toFixed(2).padStart(6)} ms` +
    `  stored ${(measured.value_bytes / 1000).toFixed(1).padStart(7)} kB (file ${(measured.file_bytes / 1000).toFixed(0)} kB)${ratio}`
  );
}
