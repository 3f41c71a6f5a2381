/**
 * `POST /v1/webhooks/:source`: a signed delivery becomes a run.
 *
 * Owns: the order (size, signature, then everything else) and that one delivery makes one run, whenever and however often
 * it comes. What names a delivery must be signed, or who has caught one could send it again under another name and have
 * it paid for again: the id of Standard Webhooks is. GitHub's scheme signs the body alone, so there the body is the name.
 * Its own deliveries never have equal bodies (they carry ids, hashes and times), but a script that signs as GitHub does
 * and asks the same every morning has: `allow_identical_bodies` lets such a source be named by the unsigned id again.
 * Leaves to others: signatures (webhook-signature.ts), where the question sits (webhook-question.ts), the way in
 * (open-run.ts). Anything but a 2xx makes the sender try again, which is right for every refusal that may pass.
 */
import { Hono } from "hono/tiny";
import type { WebhookSource } from "../config/doors.ts";
import { toHex } from "../lib/hmac.ts";
import { checkAsk } from "./ask.ts";
import { invalidRequest, parseJson, readBytes } from "./body.ts";
import type { HttpEnv, HttpPorts } from "./context.ts";
import { openRun } from "./open-run.ts";
import { problem, refuse } from "./problems.ts";
import { parseQuestion } from "./question.ts";
import { fillQuestion } from "./webhook-question.ts";
import { verifyGithubWebhook, verifyStandardWebhook } from "./webhook-signature.ts";

/** Room for the large events of a code host; what a question needs of them is small. */
export const WEBHOOK_BODY_BYTES_MAX = 1_000_000;
/** The retries of Standard Webhooks end after 76 hours; those of no sender we know go on for longer than a week. */
const DELIVERY_KEPT_MS = 14 * 24 * 60 * 60 * 1000;

export function createWebhookRoutes() {
  return new Hono<HttpEnv>().post("/v1/webhooks/:source", async (c) => {
    const { config, ports } = c.var;
    const source = config.webhookSources.get(c.req.param("source"));
    if (source === undefined) throw problem("source_not_found", "WEBHOOK_SOURCES of this server does not list it.");
    const body = await readBytes(c.req.raw, WEBHOOK_BODY_BYTES_MAX, ports);
    const delivery = await verify(source, c.req.raw.headers, body, ports);
    if (source.scheme === "github") assertNoForm(c.req.header("content-type"));
    // GitHub asks once whether anybody is there.
    if (source.scheme === "github" && c.req.header("x-github-event") === "ping") return c.body(null, 204);
    const question = readQuestion(source, body);
    const checked = checkAsk({ question }, source.caller, config, new URL(c.req.url).hostname);
    if (!checked.ok) throw refuse(checked.error);
    const opened = await openRun(checked.value, {
      bindings: c.env,
      ports,
      caller: source.caller,
      driver: "alarm",
      // The name alone counts: a sender that words its retry differently still means the same.
      key: { name: `webhook:${source.name}:${delivery}`, fingerprint: "", keptMs: DELIVERY_KEPT_MS },
    });
    // Its run has come and gone: nothing is left to do, and nothing for the sender to try again.
    if (!opened.ok && opened.error.code === "run_not_found") return c.body(null, 204);
    if (!opened.ok) throw refuse(opened.error);
    const { id, links } = opened.value.run;
    return c.json({ id, links }, 202, { location: `/v1/runs/${id}` });
  });
}

/** GitHub's own default is a form. Its ping is refused too, so that this shows while the webhook is being set up. */
function assertNoForm(type: string | undefined): void {
  if (!/^application\/x-www-form-urlencoded\b/i.test(type ?? "")) return;
  throw problem("unsupported_media_type", "Choose the content type application/json in the settings of the webhook.");
}

/** What names a delivery whose signature is valid; throws when it is not. */
async function verify(
  source: WebhookSource,
  headers: Headers,
  body: Uint8Array<ArrayBuffer>,
  ports: HttpPorts,
): Promise<string> {
  const verified =
    source.scheme === "github"
      ? await verifyGithubWebhook(headers, body, source.secrets)
      : await verifyStandardWebhook(headers, body, source.secrets, ports.now());
  if (verified.ok) {
    const isNamedById = source.scheme === "standard" || source.allowsIdenticalBodies;
    return isNamedById ? verified.value.id : `body.${await sha256Of(body)}`;
  }
  ports.log({ level: "warn", event: "webhook_refused", source: source.name });
  throw problem("invalid_signature", verified.error);
}

/** No id of a delivery has a dot, so none can pass for one of these. */
async function sha256Of(body: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", body)));
}

function readQuestion(source: WebhookSource, body: Uint8Array): string {
  const filled = fillQuestion(source.question, parseJson(body));
  if (!filled.ok) {
    const errors = [{ detail: "There is no text here.", pointer: filled.error }];
    throw problem("question_not_found", `The payload has no text at ${filled.error}.`, { errors });
  }
  const question = parseQuestion(filled.value);
  if (!question.ok) throw invalidRequest([{ detail: question.error }]);
  return question.value;
}
