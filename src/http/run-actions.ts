/**
 * What a caller does to a run that goes on: one step, cancel, answer what it asks.
 *
 * Owns: which answer of the run object is which status. Doing the same twice gives the same; after the end it is a 409
 * that says so, and nothing changes.
 */
import type { Context } from "hono";
import { Hono } from "hono/tiny";
import * as z from "zod";
import type { PublicRun } from "../agent/view.ts";
import { ownRun, runHeaders, runNotFound } from "./access.ts";
import { optionalJsonBody } from "./body.ts";
import type { HttpEnv } from "./context.ts";
import { problem } from "./problems.ts";

/** These take no fields; an empty object is the same as no body. */
export const noFieldsSchema = z.strictObject({});
/** What is sent to a route that refuses everything is not looked at. */
export const anyFieldsSchema = z.looseObject({});

export function createRunActionRoutes() {
  return new Hono<HttpEnv>()
    .post("/:id/steps", optionalJsonBody(noFieldsSchema), async (c) => {
      const object = ownRun(c, c.req.param("id"));
      const before = await object.view();
      if (before === null) throw runNotFound();
      if (before.status === "finished") throw runFinished(before);
      if (before.mode !== "manual") {
        throw problem("run_not_manual", "This run was asked in auto mode and takes its steps by itself. Just wait.");
      }
      const reply = await object.step("caller");
      switch (reply.kind) {
        case "ran":
          return c.json(reply.run, 200, runHeaders(reply.run));
        case "not_found":
          throw runNotFound();
        case "finished":
          throw runFinished(reply.run);
        case "busy":
          throw problem("run_busy", "Another request is running a step of it. Try again in a second.", {
            headers: { "retry-after": "1" },
          });
        case "waiting":
          throw runWaiting(reply.run, c.var.ports.now());
      }
    })
    .post("/:id/cancel", optionalJsonBody(noFieldsSchema), async (c) => {
      const reply = await ownRun(c, c.req.param("id")).cancel();
      if (reply.kind === "not_found") throw runNotFound();
      // A run that a cancel ended stays as it is, however often it is cancelled.
      if (reply.kind === "finished" && reply.run.outcome !== "cancelled") throw runFinished(reply.run);
      return c.json(reply.run, 200, runHeaders(reply.run));
    })
    .post("/:id/resend", optionalJsonBody(noFieldsSchema), async (c) => {
      const reply = await ownRun(c, c.req.param("id")).outgoing({ kind: "resend" });
      switch (reply.kind) {
        case "resent":
          return c.json(reply.run, 202, runHeaders(reply.run));
        case "nothing_to_send":
          throw problem("nothing_to_send", "Only a finished run that was asked with a callback_url is sent.");
        default:
          throw runNotFound();
      }
    })
    .post("/:id/reply", optionalJsonBody(anyFieldsSchema), async (c) => refuseUnlessAsked(c, c.req.param("id")))
    .post("/:id/approve", optionalJsonBody(anyFieldsSchema), async (c) => refuseUnlessAsked(c, c.req.param("id")));
}

/** No run of this release ever waits for a person: the two routes are kept for one that does. */
async function refuseUnlessAsked(c: Context<HttpEnv>, id: string): Promise<never> {
  const run = await ownRun(c, id).view();
  if (run === null) throw runNotFound();
  if (run.status === "finished") throw runFinished(run);
  const detail = "No run of this release waits for a person, so there is nothing to answer. Nothing was changed.";
  throw problem("run_not_waiting", detail);
}

export function runFinished(run: PublicRun) {
  // "answered (done)" and "cancelled (cancelled)" would say nothing twice.
  const isPlain = run.stop_reason === null || run.stop_reason === "done" || run.stop_reason === run.outcome;
  const reason = isPlain ? "" : ` (${run.stop_reason})`;
  const detail = `The run is over: ${run.outcome ?? "finished"}${reason}. Nothing was changed.`;
  return problem("run_finished", detail, { more: { outcome: run.outcome, stop_reason: run.stop_reason } });
}

function runWaiting(run: PublicRun, now: number) {
  const until = run.waiting === null ? now : Date.parse(run.waiting.until);
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  const detail = `The run waits until ${new Date(until).toISOString()} (${run.waiting?.kind ?? "retry"}). Try again then.`;
  return problem("run_waiting", detail, { headers: { "retry-after": String(seconds) } });
}
