/**
 * One run from its start, or from where it was interrupted, to its end.
 *
 * Owns: following it, cancelling it when asked to, and waiting out a worker that is being started anew.
 * Leaves to others: what is shown (progress.ts, render.ts) and what is kept (kept-runs.ts).
 */
import { setTimeout as delay } from "node:timers/promises";
import { err, type Result } from "../lib/result.ts";
import { cancelRun, type Door, getRun, type Refusal, type Run } from "./run-client.ts";
import { followRun, type RunEvent } from "./run-events.ts";

/** How often the run is looked at when its events have ended and it has not. */
const POLL_AFTER_MS = 500;
/** A worker that does not answer this often in a row will not come back. */
const UNANSWERED_MAX = 20;

/** Follows run `id` to its end and returns it finished. An abort of `signal` cancels the run first. */
export async function followToEnd(
  door: Door,
  id: string,
  signal: AbortSignal,
  onEvent: (event: RunEvent) => void | Promise<void>,
): Promise<Result<Run, Refusal>> {
  for await (const event of followRun(door, id, signal)) await onEvent(event);
  if (signal.aborted) return insist(() => cancelRun(door, id).then((cancelled) => overtaken(door, id, cancelled)));
  for (;;) {
    const run = await insist(() => getRun(door, id));
    if (!run.ok || run.value.status === "finished") return run;
    await delay(POLL_AFTER_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return insist(() => cancelRun(door, id).then((cancelled) => overtaken(door, id, cancelled)));
  }
}

/** A run that ended just before the cancel is shown as it ended. */
function overtaken(door: Door, id: string, cancelled: Result<Run, Refusal>): Promise<Result<Run, Refusal>> {
  const isOver = !cancelled.ok && cancelled.error.status === 409;
  return isOver ? getRun(door, id) : Promise.resolve(cancelled);
}

/** Ctrl-C on a terminal also ends workerd; it is started anew within a moment, and the run with it. */
export async function insist(ask: () => Promise<Result<Run, Refusal>>): Promise<Result<Run, Refusal>> {
  let last: Result<Run, Refusal> = err({ status: null, message: "The local worker did not answer." });
  for (let attempt = 0; attempt < UNANSWERED_MAX; attempt += 1) {
    last = await ask();
    if (last.ok || (last.error.status !== null && last.error.status < 500)) return last;
    await delay(POLL_AFTER_MS / 2);
  }
  return last;
}
