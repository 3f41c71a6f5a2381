/** Amounts as people read them. Pure: no I/O, no clock. */

const COUNT = new Intl.NumberFormat("en");

/** `$0`, `<$0.0001`, `$0.0123`, `$1.50`. */
export function formatUsd(usd: number): string {
  if (usd === 0) return "$0";
  if (usd < 0.0001) return "<$0.0001";
  return `$${usd < 1 ? usd.toFixed(4).replace(/(\.\d\d+?)0+$/, "$1") : usd.toFixed(2)}`;
}

/** What was spent; `up to $0.47` where part of it is of calls whose bill never came. */
export function tellSpent({
  cost_usd,
  unbilled_usd,
}: {
  readonly cost_usd: number;
  readonly unbilled_usd: number;
}): string {
  return `${unbilled_usd > 0 ? "up to " : ""}${formatUsd(cost_usd)}`;
}

/** `12 ms`, `1.2 s`, `2 min 5 s`. */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

export function formatCount(value: number): string {
  return COUNT.format(value);
}

/** `1 row`, `2 rows`. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}

/** `just now`, `5 min ago`, `3 h ago`, then the day. `now` and `at` are epoch milliseconds. */
export function formatAgo(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return new Date(at).toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
}
