/**
 * The Slack door: slash commands and presses of buttons.
 *
 * Owns: the order (size, signature over the raw bytes, then everything else) and that Slack is answered at once: a question
 * is one stored line in the caller object before the answer goes out, and nothing is left to do in this request. The one
 * unsigned request that gets a 200 is `ssl_check=1`, and nothing is done for it, whatever else it says.
 * Leaves to others: who may ask (slack-command.ts), the way in (open-run.ts), the answer (durable/deliveries.ts).
 */
import type { Context } from "hono";
import { Hono } from "hono/tiny";
import type { SlackDoor } from "../config/doors.ts";
import type { StartRun } from "../durable/contract.ts";
import type { SlackPress } from "../durable/slack-origin.ts";
import { checkAsk } from "./ask.ts";
import { readBytes } from "./body.ts";
import { callerObject, type HttpEnv, runObject } from "./context.ts";
import { mostOf, pinnedOf, policyOf } from "./open-run.ts";
import { type ProblemCode, problem } from "./problems.ts";
import { createRunId, ownsRunId, RUN_ID_BYTES } from "./run-id.ts";
import { parseCommand, refusePlace, type SlackQuestion } from "./slack-command.ts";
import { continueRun } from "./slack-continue.ts";
import { parseForm } from "./slack-form.ts";
import { parsePress } from "./slack-interaction.ts";
import { type SlackReply, tellRefusal, toNotice, toWorkingMessage } from "./slack-reply.ts";
import { createSlackResultRoutes } from "./slack-results.ts";
import { isFromSlack } from "./slack-signature.ts";

/** A press carries the message that it stands in, with its blocks, and the state of its inputs. */
const BODY_BYTES_MAX = 256_000;
/** Slack does not say that it repeats commands; if it does, it is within minutes. */
const TRIGGER_KEPT_MS = 24 * 60 * 60 * 1000;

type Form = ReadonlyMap<string, string | null>;

export function createSlackRoutes() {
  return new Hono<HttpEnv>()
    .get("/commands", (c) => {
      doorOf(c);
      if (c.req.query("ssl_check") === "1") return c.body(null, 200);
      throw problem("method_not_allowed", "Use POST.", { headers: { allow: "POST" } });
    })
    .post("/commands", async (c) => {
      const door = doorOf(c);
      const form = await readForm(c, door);
      if (form === "ssl_check") return c.body(null, 200);
      const parsed = parseCommand(form, door);
      if (parsed.kind === "malformed") throw problem("invalid_request", "This is not a slash command.");
      const reply = parsed.kind === "reply" ? parsed.reply : await ask(c, door, parsed.asked);
      return c.json(reply, 200);
    })
    .post("/interactions", async (c) => {
      const door = doorOf(c);
      const form = await readForm(c, door);
      if (form === "ssl_check") return c.body(null, 200);
      const payload = form.get("payload");
      if (!payload) throw problem("invalid_request", "This is not an interaction.");
      const parsed = parsePress(payload);
      if (parsed !== null && ownsRunId(door.caller.name, parsed.runId)) {
        await press(c, door, parsed.runId, { ...parsed.press, receivedAt: c.var.ports.now() });
      }
      return c.body(null, 200);
    })
    .route("/", createSlackResultRoutes());
}

function doorOf(c: Context<HttpEnv>): SlackDoor {
  const door = c.var.config.slack;
  if (door === null) throw problem("not_found", "Slack is not set up here: SLACK_SIGNING_SECRET is not set.");
  return door;
}

/** The form of a request that Slack has signed; anything else is refused. */
async function readForm(c: Context<HttpEnv>, door: SlackDoor): Promise<Form | "ssl_check"> {
  const bytes = await readBytes(c.req.raw, BODY_BYTES_MAX, c.var.ports);
  const form = parseForm(bytes);
  if (form.get("ssl_check") === "1") return "ssl_check";
  if (await isFromSlack(c.req.raw.headers, bytes, door.signingSecrets, c.var.ports.now())) return form;
  c.var.ports.log({ level: "warn", event: "slack_refused" });
  const detail = "The request is not signed with this app's signing secret, or its time is more than five minutes off.";
  throw problem("invalid_signature", detail);
}

/** Takes the question in and says so. */
async function ask(c: Context<HttpEnv>, door: SlackDoor, asked: SlackQuestion): Promise<SlackReply> {
  const { config, ports } = c.var;
  const { caller } = door;
  const { question, triggerId, ...place } = asked;
  const url = new URL(c.req.url);
  const checked = checkAsk({ question }, caller, config, url.hostname);
  if (!checked.ok) return toNotice(tellRefusal(checked.error));
  const slack = { ...place, receivedAt: ports.now(), publicOrigin: url.origin, working: null };
  const key = triggerId === null ? null : { name: `slack:${triggerId}`, keptMs: TRIGGER_KEPT_MS };
  const runId = createRunId(caller.name, ports.randomBytes(RUN_ID_BYTES));
  const start: StartRun = { ...checked.value, id: runId, ...pinnedOf(caller), slack };
  const reply = await callerObject(c.env, caller.name).take({
    key,
    admit: { runId, reserveNanoUsd: mostOf(checked.value), question, policy: policyOf(caller) },
    start: JSON.stringify(start),
  });
  if (reply.kind === "refused") return toNotice(tellRefusal({ code: REFUSALS[reply.reason], detail: "" }));
  ports.log({
    level: "info",
    event: reply.isRepeat ? "run_repeated" : "run_taken",
    run: reply.runId,
    caller: caller.name,
  });
  return { response_type: asked.visibility, ...toWorkingMessage(question, reply.runId) };
}

const REFUSALS = {
  rate: "rate_limited",
  runs_at_once: "too_many_runs",
  daily_budget: "daily_budget_spent",
} as const satisfies Record<string, ProblemCode>;

async function press(c: Context<HttpEnv>, door: SlackDoor, runId: string, pressed: SlackPress): Promise<void> {
  const object = runObject(c.env, runId);
  // The run posts to this address later, with what it has found: it must be Slack's own.
  if (URL.parse(pressed.responseUrl)?.origin !== door.responseOrigin) return;
  const refusal = refusePlace(pressed, door);
  if (refusal !== null) {
    await object.outgoing({ kind: "notice", press: pressed, text: refusal });
    return;
  }
  const call = { kind: "press", press: pressed } as const;
  let reply = await object.outgoing(call);
  if (reply.kind === "not_found" && (await callerObject(c.env, door.caller.name).beginTaken(runId))) {
    reply = await object.outgoing(call);
  }
  if (reply.kind !== "may_continue") return;
  const parent = await object.view();
  if (parent === null) return;
  const { origin } = reply;
  const { ports } = c.var;
  const continued = await continueRun({ bindings: c.env, ports, door, press: pressed, origin, parent });
  const text = continued.ok ? "This question has been continued already." : tellRefusal(continued.error);
  if (!continued.ok || continued.value.isRepeat) await object.outgoing({ kind: "notice", press: pressed, text });
}
