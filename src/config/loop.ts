/**
 * The JSON of QUERENT_LOOP: how patient the agent loop is. Owns: its names and bounds; what is absent keeps the built-in
 * value (agent/cycles.ts, which says what each one means). Pinned per run when it starts.
 *
 *     {"cycle_window": 12, "cycle_period_max": 4, "cycle_repeats": 3, "breaker_failures": 3,
 *      "context_share": 0.6, "max_tokens": 8192, "critic": true}
 *
 * Pure: no I/O, no clock.
 */
import * as z from "zod";
import { DEFAULT_LOOP, type LoopSettings, loopSchema } from "../agent/cycles.ts";

const bounds = loopSchema.shape;

export const loopSettingsSchema = z
  .strictObject({
    cycle_window: bounds.cycleWindow,
    cycle_period_max: bounds.cyclePeriodMax,
    cycle_repeats: bounds.cycleRepeats,
    breaker_failures: bounds.breakerFailures,
    context_share: bounds.contextShare,
    max_tokens: bounds.maxTokens,
    critic: bounds.critic,
  })
  .partial();

export const LOOP_EXAMPLE = 'For example {"cycle_repeats": 4, "critic": false}.';

/** Lays what was given over the built-in values. */
export function toLoopSettings(given: z.infer<typeof loopSettingsSchema>): LoopSettings {
  return {
    cycleWindow: given.cycle_window ?? DEFAULT_LOOP.cycleWindow,
    cyclePeriodMax: given.cycle_period_max ?? DEFAULT_LOOP.cyclePeriodMax,
    cycleRepeats: given.cycle_repeats ?? DEFAULT_LOOP.cycleRepeats,
    breakerFailures: given.breaker_failures ?? DEFAULT_LOOP.breakerFailures,
    contextShare: given.context_share ?? DEFAULT_LOOP.contextShare,
    maxTokens: given.max_tokens ?? DEFAULT_LOOP.maxTokens,
    critic: given.critic ?? DEFAULT_LOOP.critic,
  };
}
