/**
 * The doors that strangers' systems come in by: webhook sources and Slack, as their settings describe them.
 *
 * Owns: the JSON of WEBHOOK_SOURCES and SLACK_CALLER, and the syntax of "where the question sits". Leaves to others:
 * signatures (http/), the caller fields (callers.ts). Half a door is refused: a secret without its caller, or the other
 * way round, stops the start.
 *
 *     WEBHOOK_SOURCES  {"alerts": {"scheme": "standard", "secrets": ["whsec_…"],
 *                                  "question": "/data/question", or a template: "Why did {{/data/metric}} fall?",
 *                                  "caller": "ops"}}          or the caller fields, for a caller of its own
 *                      "allow_identical_bodies": true         scheme github: the same body under another id asks again
 *     SLACK_CALLER     {"teams": ["T0123"], "channels": ["C0123"], "users": ["U0123"], …caller fields}
 *
 * Pure: no I/O, no clock.
 */
import * as z from "zod";
import { type Caller, callerFields, type LimitPair, toCaller } from "./callers.ts";
import { ConfigError } from "./variables.ts";

/** A piece of a question: our text, or the place in the payload that fills it. */
export type QuestionPart = { readonly kind: "text"; readonly text: string } | QuestionPlace;
/** `path`: the segments of a JSON pointer. */
export interface QuestionPlace {
  readonly kind: "place";
  readonly path: readonly string[];
}

export interface WebhookSource {
  readonly name: string;
  readonly scheme: "standard" | "github";
  readonly secrets: readonly string[];
  readonly question: readonly QuestionPart[];
  /** True: the delivery's id alone names a delivery, though the `github` scheme does not sign it. */
  readonly allowsIdenticalBodies: boolean;
  readonly caller: Caller;
}

export interface SlackDoor {
  readonly signingSecrets: readonly string[];
  readonly botToken: string | null;
  readonly caller: Caller;
  /** Ids of workspaces, or `*` for every workspace that installed the app. */
  readonly teams: readonly string[];
  /** Null: any. */
  readonly channels: readonly string[] | null;
  readonly users: readonly string[] | null;
  readonly responseOrigin: string;
  readonly apiOrigin: string;
}

export const sourcesSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "a source's name is 1 to 63 lower-case letters, digits, dashes"),
  z.strictObject({
    scheme: z.enum(["standard", "github"]),
    secrets: z.array(z.string()).min(1).max(10),
    question: z.string().min(1).max(4_000),
    allow_identical_bodies: z.boolean().optional(),
    caller: z.string().optional(),
    ...callerFields,
  }),
);

export const SOURCES_EXAMPLE =
  'For example {"alerts": {"scheme": "standard", "secrets": ["whsec_…"], "question": "/data/question", "caller": "ops"}}.';

const ids = z.array(z.string().regex(/^[A-Z0-9]{2,32}$/, "Slack ids are capital letters and digits"));

export const slackCallerSchema = z.strictObject({
  teams: z.union([ids.min(1), z.tuple([z.literal("*")])], {
    error: 'list the ids of your workspaces, such as ["T0123ABCD"], or ["*"] for every one that installs the app',
  }),
  channels: ids.min(1).optional(),
  users: ids.min(1).optional(),
  ...callerFields,
});

export const SLACK_EXAMPLE = 'For example {"teams": ["T0123ABCD"], "daily_usd": 5}.';

/** Every source, bound to the caller whose runs it starts. */
export function toSources(
  given: z.infer<typeof sourcesSchema>,
  callers: ReadonlyMap<string, Caller>,
  base: LimitPair,
): ReadonlyMap<string, WebhookSource> {
  const sources = new Map<string, WebhookSource>();
  for (const [name, source] of Object.entries(given)) {
    const { scheme, secrets, question, allow_identical_bodies: allowed, caller: callerName, ...fields } = source;
    const where = `WEBHOOK_SOURCES, ${name}`;
    if (allowed !== undefined && scheme !== "github") {
      throw new ConfigError(
        `${where}: "allow_identical_bodies" is for the scheme github alone; the other one signs the delivery's id. Remove it.`,
      );
    }
    const personal = ["approve_above_rows" as const, "may_ask" as const].find((field) => fields[field] !== undefined);
    if (personal !== undefined) {
      throw new ConfigError(
        `${where}: "${personal}" needs somebody who can answer, and a caller of its own has no key. ` +
          'Name one of QUERENT_CALLERS with "caller", and set it there.',
      );
    }
    for (const secret of secrets) assertSecret(scheme, secret, where);
    const caller =
      callerName === undefined ? toCaller(`webhook:${name}`, fields, base, where) : callers.get(callerName);
    if (caller === undefined) throw new ConfigError(`${where}: the caller named there is not in QUERENT_CALLERS.`);
    if (callerName !== undefined && Object.keys(fields).length > 0) {
      throw new ConfigError(
        `${where}: "caller" names a caller that has its own fields; remove ${Object.keys(fields)[0]}.`,
      );
    }
    sources.set(name, {
      name,
      scheme,
      secrets,
      question: toQuestion(question, where),
      allowsIdenticalBodies: allowed === true,
      caller,
    });
  }
  return sources;
}

/** One secret that is a Standard Webhooks one: `whsec_` and the base64 of 24 to 64 bytes. */
export function isWebhookSecret(secret: string): boolean {
  const match = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)$/.exec(secret);
  const bytes = Math.floor(((match?.[1] ?? "").replaceAll("=", "").length * 3) / 4);
  return bytes >= SECRET_BYTES_MIN && bytes <= SECRET_BYTES_MAX;
}

/** Standard Webhooks asks for 24 to 64 random bytes. */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;
/** GitHub takes any text; shorter than this is a word somebody chose. */
const GITHUB_SECRET_CHARS_MIN = 16;

function assertSecret(scheme: WebhookSource["scheme"], secret: string, where: string): void {
  if (scheme === "standard" && !isWebhookSecret(secret)) {
    throw new ConfigError(
      `${where}: a secret must be "whsec_" and the base64 of ${SECRET_BYTES_MIN} to ${SECRET_BYTES_MAX} random bytes.`,
    );
  }
  if (scheme === "github" && secret.length < GITHUB_SECRET_CHARS_MIN) {
    throw new ConfigError(`${where}: a secret must have at least ${GITHUB_SECRET_CHARS_MIN} characters.`);
  }
}

/** A pointer stands alone; in a template, pointers stand in double braces. A text with neither is always asked. */
function toQuestion(text: string, where: string): readonly QuestionPart[] {
  if (text.startsWith("/")) return [toPlace(text, where)];
  return text
    .split(/(\{\{.*?\}\})/s)
    .filter((part) => part !== "")
    .map((part) => {
      if (part.startsWith("{{") && part.endsWith("}}")) return toPlace(part.slice(2, -2).trim(), where);
      if (part.includes("{{") || part.includes("}}"))
        throw new ConfigError(`${where}: a brace pair of "question" is not closed.`);
      return { kind: "text", text: part };
    });
}

function toPlace(pointer: string, where: string): QuestionPlace {
  if (!/^(?:\/(?:[^~/]|~[01])*)+$/.test(pointer)) {
    throw new ConfigError(
      `${where}: "question" must point into the payload with JSON pointers such as /data/question.`,
    );
  }
  const path = pointer.slice(1).split("/");
  return { kind: "place", path: path.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~")) };
}
