/**
 * From the id in an address to the run object behind it, for the caller whose run it is and for nobody else.
 * A run of another caller, one that was deleted and one that never was are the same from outside: 404.
 */
import type { Context } from "hono";
import type { PublicRun } from "../agent/view.ts";
import type { RunApi } from "../durable/contract.ts";
import { type HttpEnv, runObject } from "./context.ts";
import { problem } from "./problems.ts";
import { ownsRunId } from "./run-id.ts";

/** The object of the run with this id, if the caller may have it. The run itself may still turn out not to exist. */
export function ownRun(c: Context<HttpEnv>, id: string): RunApi {
  if (!ownsRunId(c.var.caller.name, id)) throw runNotFound();
  return runObject(c.env, id);
}

export function runNotFound() {
  return problem("run_not_found", "No run of yours has this id.");
}

/** What every response that shows a run carries: a program reads it without looking into the body (mechanism A29). */
export function runHeaders(run: PublicRun): Record<string, string> {
  if (run.status !== "finished") return {};
  return { "querent-grounded": String(run.grounded), "querent-outcome": run.outcome ?? "" };
}
