/** The few figures of a report: quantiles, a bootstrap interval, pass@k and pass^k. Pure; randomness by seed. */

/** Value at `share` (0…1) of the sorted values, by the nearest rank; 0 for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? 0;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

const RESAMPLES = 2_000;

/**
 * 95 % percentile bootstrap interval of the mean over all values of `groups`. Whole groups are drawn: the tries of one
 * question are no independent questions, and counting them as such would make the interval narrower than what is known.
 * The same groups and seed give the same interval.
 */
export function bootstrapInterval(
  groups: readonly (readonly number[])[],
  seed: number,
): readonly [low: number, high: number] {
  const sums = groups.map((values) => [values.reduce((sum, value) => sum + value, 0), values.length] as const);
  if (sums.length === 0) return [0, 0];
  const random = randomOf(seed);
  const means = Array.from({ length: RESAMPLES }, () => {
    let [total, count] = [0, 0];
    for (let drawn = 0; drawn < sums.length; drawn += 1) {
      const [sum, length] = sums[Math.floor(random() * sums.length)] ?? [0, 0];
      total += sum;
      count += length;
    }
    return count === 0 ? 0 : total / count;
  });
  return [quantile(means, 0.025), quantile(means, 0.975)];
}

/** Chance that at least one of `k` tries passes, from `passed` of `tries` (unbiased). */
export function passAtK(passed: number, tries: number, k: number): number {
  if (tries - passed < k) return 1;
  let allFail = 1;
  for (let index = 0; index < k; index += 1) allFail *= (tries - passed - index) / (tries - index);
  return 1 - allFail;
}

/** Chance that all of `k` tries pass, from `passed` of `tries` (unbiased). */
export function passHatK(passed: number, tries: number, k: number): number {
  if (passed < k) return 0;
  let all = 1;
  for (let index = 0; index < k; index += 1) all *= (passed - index) / (tries - index);
  return all;
}

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
