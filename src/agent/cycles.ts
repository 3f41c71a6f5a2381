/**
 * The cycle detector and the breaker: does a run go round in circles, and what is done about it.
 *
 * Owns: the window of recent calls, the periods, and the rungs: guidance, refusal with the earlier result by reference,
 * a fresh perspective, stop. A call repeats only if its signature AND its result are equal, so paging, corrected queries
 * and equal calls with other results never count; the detector's own refusals are no results and are not recorded.
 * The window lives in `AgentState`, so it survives eviction and comes along to a fork (B26); a fresh transcript, and a run
 * that is continued after a cycle, start an empty one.
 * Pure: no I/O, no clock.
 */
import * as z from "zod";

/** Stored contract: part of `AgentState`. */
export const recentCallSchema = z.strictObject({
  signature: z.string(),
  /** Of the observation's status and data, by `hashObserved` of signature.ts. */
  result: z.string(),
  tool: z.string(),
  step: z.int().min(0),
  isError: z.boolean(),
  /** Reference of the stored rows, or null. */
  ref: z.string().nullable(),
});

export type RecentCall = z.infer<typeof recentCallSchema>;

/** Stored contract: how patient a run is. Pinned when it starts. */
export const loopSchema = z.strictObject({
  /** Calls remembered. */
  cycleWindow: z.int().min(2).max(64),
  /** Longest period looked for. */
  cyclePeriodMax: z.int().min(1).max(8),
  /** Equal calls in a row that make a cycle of period 1; longer periods need one repetition less, at least two. */
  cycleRepeats: z.int().min(2).max(16),
  /** Equal failing calls after which the same call is not made again. */
  breakerFailures: z.int().min(1).max(16),
  /** Share of the model's context window at which the run continues in a fresh transcript. */
  contextShare: z.number().min(0.05).max(1),
  /** Output tokens that a call asks for at first. */
  maxTokens: z.int().min(1_024).max(1_000_000),
  /** Whether a critic with an empty transcript is asked once before a run stops as a cycle. */
  critic: z.boolean(),
});

export type LoopSettings = z.infer<typeof loopSchema>;

export const DEFAULT_LOOP: LoopSettings = {
  cycleWindow: 12,
  cyclePeriodMax: 4,
  cycleRepeats: 3,
  breakerFailures: 3,
  contextShare: 0.6,
  // Room for thinking, a long query and a page of answer.
  maxTokens: 8_192,
  critic: true,
};

/** Rung on which guidance and refusal have failed: a critic, or the end. */
export const RUNG_STOP = 3;

export interface Cycle {
  readonly period: number;
  readonly repetitions: number;
  /** The calls of one turn, oldest first. */
  readonly calls: readonly RecentCall[];
}

/** Adds calls to the window, oldest out. */
export function remember(
  recent: readonly RecentCall[],
  calls: readonly RecentCall[],
  settings: LoopSettings,
): RecentCall[] {
  return [...recent, ...calls].slice(-settings.cycleWindow);
}

/** The cycle that the window ends with; the shortest period wins. Null when there is none. */
export function findCycle(recent: readonly RecentCall[], settings: LoopSettings): Cycle | null {
  for (let period = 1; period <= settings.cyclePeriodMax; period += 1) {
    const repetitions = countRepetitions(recent, period);
    const needed = period === 1 ? settings.cycleRepeats : Math.max(2, settings.cycleRepeats - 1);
    if (repetitions >= needed) return { period, repetitions, calls: recent.slice(-period) };
  }
  return null;
}

/** How often the last `period` calls stand at the end of the window in unbroken turns. */
function countRepetitions(recent: readonly RecentCall[], period: number): number {
  let repetitions = 1;
  while ((repetitions + 1) * period <= recent.length) {
    const end = recent.length - repetitions * period;
    const isSame = Array.from({ length: period }, (_, offset) => {
      const earlier = recent[end - period + offset];
      const later = recent[end + offset];
      return earlier?.signature === later?.signature && earlier?.result === later?.result;
    }).every(Boolean);
    if (!isSame) break;
    repetitions += 1;
  }
  return repetitions;
}

/** What the model is told on the first rung. */
export function cycleGuidance(cycle: Cycle): string {
  const tools = cycle.calls.map((call) => call.tool).join(" → ");
  const steps = cycle.calls.map((call) => call.step).join(", ");
  return (
    `You are repeating yourself: the same ${cycle.period === 1 ? "call" : `${cycle.period} calls`} (${tools}; last in ` +
    `step ${steps}) came back ${cycle.repetitions} times with the same result (period ${cycle.period}). The same call ` +
    "will not be run again. Use what it returned, try another way, or answer with what you have."
  );
}

/** Why a call is not run: it belongs to the cycle, or it has failed too often. Null when it may run. */
export function whyRefused(
  signature: string,
  recent: readonly RecentCall[],
  rung: number,
  settings: LoopSettings,
): { readonly reason: "cycle" | "breaker"; readonly last: RecentCall } | null {
  const last = recent.findLast((call) => call.signature === signature);
  if (last === undefined) return null;
  const failures = recent.filter((call) => call.signature === signature && call.isError).length;
  if (failures >= settings.breakerFailures) return { reason: "breaker", last };
  if (rung === 0) return null;
  const cycle = findCycle(recent, settings);
  return cycle?.calls.some((call) => call.signature === signature) === true ? { reason: "cycle", last } : null;
}
