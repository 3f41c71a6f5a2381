/**
 * Money is an integer count of nano-dollars (1e-9 USD), so sums are exact: 9e15 of them, nine million dollars, fit a
 * JavaScript number. One token at $2 per million is 2,000; one D1 row at $0.001 per million is 1. Pure.
 */
export const NANO_PER_USD = 1_000_000_000;

/** Dollars to nano-dollars, rounded down: a limit is never raised by rounding. */
export function nanoFromUsd(usd: number): number {
  // 0.29 * 1e9 is 289999999.99999994: nudge by one part in 2^50 before the floor.
  return Math.floor(usd * NANO_PER_USD * (1 + 2 ** -50));
}

/** Nano-dollars as a JSON number of dollars. */
export function usdFromNano(nano: number): number {
  return nano / NANO_PER_USD;
}

/** For people: `$0`, `$0.0123`, `<$0.0001`. */
export function formatUsd(nano: number): string {
  if (nano === 0) return "$0";
  if (nano < 100_000) return "<$0.0001";
  return `$${(nano / NANO_PER_USD).toFixed(4)}`;
}
