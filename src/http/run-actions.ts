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
import type { Answer, Decision } from "../durable/contract.ts";
import { ownRun, runHeaders, runNotFound } from "./access.ts";
import { jsonBody, optionalJsonBody } from "./body.ts";
import type { HttpEnv } from "./context.ts";
import { problem } from "./problems.ts";

const NOTE_CHARS_MAX = 500;
const REPLY_CHARS_MAX = 2_000;

/** These take no fields; an empty object is the same as no body. */
export const noFieldsSchema = z.strictObject({});
export const approveSchema = z.strictObject({
  approval: z
    .string()
    .min(1)
    .max(64)
    .meta({ description: "`waiting.approval.id`: what was shown is what is decided." }),
  decision: z.enum(["approve", "decline"]).meta({ description: "`decline`: the model is told, and goes on without." }),
  note: z.string().max(NOTE_CHARS_MAX).optional().meta({ description: "For the model, when it is declined." }),
});

export const replySchema = z.strictObject({
  inquiry: z.string().min(1).max(64).meta({ description: "`waiting.inquiry.id`: what was asked is what is answered." }),
  reply: z.string().trim().min(1).max(REPLY_CHARS_MAX).meta({ description: "One of the options, or other words." }),
});

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
        case "went_on":
          throw new TypeError("a step that was asked for its run tells it");
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
    .post("/:id/reply", jsonBody(replySchema), async (c) => {
      const { inquiry, reply } = c.req.valid("json");
      const run = await tell(c, c.req.param("id"), { inquiry, reply, by: c.var.caller.name });
      return c.json(run, 200, runHeaders(run));
    })
    .post("/:id/approve", jsonBody(approveSchema), async (c) => {
      const { approval, decision, note } = c.req.valid("json");
      const said = { approval, decision: DECISIONS[decision], note: note?.trim() || null, by: c.var.caller.name };
      const run = await tell(c, c.req.param("id"), said);
      return c.json(run, 200, runHeaders(run));
    });
}

/** A person's word to a run that waits for it. */
async function tell(c: Context<HttpEnv>, id: string, said: Decision | Answer): Promise<PublicRun> {
  const reply = await ownRun(c, id).decide(said);
  switch (reply.kind) {
    case "decided":
      return reply.run;
    case "not_found":
      throw runNotFound();
    case "finished":
      throw runFinished(reply.run);
    case "not_waiting":
      throw notWaiting(reply.run);
  }
}

const DECISIONS = { approve: "approved", decline: "declined" } as const;

function notWaiting(run: PublicRun) {
  const asked = run.waiting?.approval ?? run.waiting?.inquiry;
  const detail = asked
    ? `The run asks something else by now (${asked.id}). Look at \`waiting\`, and answer that.`
    : "The run waits for nobody. Nothing was changed.";
  return problem("run_not_waiting", detail);
}

export function runFinished(run: PublicRun) {
  // "answered (done)" and "cancelled (cancelled)" would say nothing twice.
  const isPlain = run.stop_reason === null || run.stop_reason === "done" || run.stop_reason === run.outcome;
  const reason = isPlain ? "" : ` (${run.stop_reason})`;
  const detail = `The run is over: ${run.outcome ?? "finished"}${reason}. Nothing was changed.`;
  return problem("run_finished", detail, { more: { outcome: run.outcome, stop_reason: run.stop_reason } });
}

function runWaiting(run: PublicRun, now: number) {
  const how = run.waiting?.kind === "approval" ? "a decision (…/approve)" : "an answer (…/reply)";
  if (run.waiting !== null && run.waiting.kind !== "retry") {
    return problem("run_waiting", `The run waits for ${how} to what stands in \`waiting\`.`);
  }
  const until = run.waiting === null ? now : Date.parse(run.waiting.until);
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  const detail = `The run waits until ${new Date(until).toISOString()} (${run.waiting?.kind ?? "retry"}). Try again then.`;
  return problem("run_waiting", detail, { headers: { "retry-after": String(seconds) } });
}
