/**
 * The answer to every request that opens a run: drives it while the client waits, then 200 when it is finished and 202
 * when it goes on, with the same headers each time.
 */
import type { Context } from "hono";
import { ownRun, runHeaders } from "./access.ts";
import { invalidRequest } from "./body.ts";
import type { HttpEnv } from "./context.ts";
import { driveRun } from "./drive.ts";
import { parseIdempotencyKey } from "./idempotency.ts";
import { type OpenedRun, type Opening, rateHeaders } from "./open-run.ts";
import { parseWait } from "./prefer.ts";

/** How a request wants its run opened: its key, and who drives. Throws a problem when the key is not written right. */
export function openingOf(c: Context<HttpEnv>, body: unknown, mode: "auto" | "manual"): Opening {
  const key = parseIdempotencyKey(c.req.header("idempotency-key"), body);
  if (!key.ok) throw invalidRequest([{ detail: key.error, header: "Idempotency-Key" }]);
  const driver = mode === "auto" && (readWait(c) ?? 0) > 0 ? "caller" : "alarm";
  return { bindings: c.env, ports: c.var.ports, caller: c.var.caller, driver, key: key.value };
}

export async function answerRun(c: Context<HttpEnv>, opened: OpenedRun, { caller, ports }: Opening) {
  let { run } = opened;
  // Nobody drives a manual run but its caller, so there is nothing to wait for.
  const waitS = run.mode === "auto" ? readWait(c) : null;
  if (waitS !== null && waitS > 0 && run.status !== "finished") {
    const keepAlive = (promise: Promise<unknown>) => c.executionCtx.waitUntil(promise);
    const options = { ports, waitMs: waitS * 1000, signal: c.req.raw.signal, keepAlive };
    run = await driveRun(run, ownRun(c, run.id), options);
  }
  for (const [name, value] of Object.entries({ ...rateHeaders(caller, opened.rate), ...runHeaders(run) })) {
    c.header(name, value);
  }
  c.header("location", `/v1/runs/${run.id}`);
  if (waitS !== null) c.header("preference-applied", `wait=${waitS}`);
  if (opened.keyExpiresAt !== null) c.header("idempotency-expires", new Date(opened.keyExpiresAt).toISOString());
  return c.json(run, run.status === "finished" ? 200 : 202);
}

function readWait(c: Context<HttpEnv>): number | null {
  const wait = parseWait(c.req.header("prefer"));
  if (!wait.ok) throw invalidRequest([{ detail: wait.error, header: "Prefer" }]);
  return wait.value;
}
