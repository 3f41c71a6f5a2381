/**
 * Drives a run while its caller waits: asks the run object for one step after the other, each an invocation of its own.
 *
 * The wait can end at any moment (time is up, the client is gone); then the object's own alarm takes over. So nothing
 * here is needed for the run to finish, it only makes it faster. Never spins: when somebody else is driving, or the run
 * waits for a moment that is to come, it waits for news with one long poll.
 */
import type { PublicRun } from "../agent/view.ts";
import type { RunApi } from "../durable/contract.ts";
import type { HttpPorts } from "./context.ts";

/** Longest single wait for news: each is one call of the object, and long ones are dropped by the platform. */
const NEWS_WAIT_MS_MAX = 15_000;

export interface DriveOptions {
  readonly ports: HttpPorts;
  readonly waitMs: number;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** Keeps a step alive that is under way when the wait is over. */
  keepAlive(promise: Promise<unknown>): void;
}

/** The run when it is finished, or as it is when the wait is over or a person has to act first. */
export async function driveRun(run: PublicRun, object: RunApi, options: DriveOptions): Promise<PublicRun> {
  const { ports, signal } = options;
  const until = ports.now() + options.waitMs;
  const late = afterDelay(ports, options.waitMs);
  let current = run;
  const asItIs = async (): Promise<PublicRun> => (await object.view()) ?? current;
  while (current.status !== "finished" && !signal.aborted) {
    const left = until - ports.now();
    if (left <= 0) return asItIs();
    const step = object.step("caller", true);
    const reply = await Promise.race([step, late]);
    if (reply === null) {
      options.keepAlive(step.catch(() => undefined));
      return asItIs();
    }
    if (reply.kind === "went_on") continue;
    if (reply.kind === "not_found") return current;
    current = reply.run;
    const leftNow = until - ports.now();
    if (reply.kind === "busy" && leftNow > 0) await awaitNews(object, Math.min(leftNow, NEWS_WAIT_MS_MAX));
    if (reply.kind === "waiting") {
      const pause = pauseOf(reply.run, ports.now());
      if (pause === null || pause > leftNow) return current;
      await ports.sleep(Math.min(pause, NEWS_WAIT_MS_MAX));
    }
  }
  return current;
}

/** Until the run object has something new to tell, or `waitMs` are over. */
async function awaitNews(object: RunApi, waitMs: number): Promise<void> {
  const page = await object.eventsAfter(Number.MAX_SAFE_INTEGER, 0);
  if (page !== null && !page.finished) await object.eventsAfter(page.last, waitMs);
}

/** How long a waiting run waits, or null when it waits for a person, for whom nobody holds a connection. */
function pauseOf(run: PublicRun, now: number): number | null {
  if (run.waiting === null) return 0;
  return run.waiting.kind === "retry" ? Math.max(0, Date.parse(run.waiting.until) - now) : null;
}

async function afterDelay(ports: HttpPorts, ms: number): Promise<null> {
  await ports.sleep(ms);
  return null;
}
