/**
 * The names of every variable and secret, and how one is read: text, JSON.
 *
 * Owns: `ConfigError`, the list of known names, and the refusal of unknown ones (a misspelt safety setting must stop the
 * start, never be skipped). Leaves to others: what the settings mean (config.ts, callers.ts, doors.ts).
 * An empty value is an unset one, as in a shell. No message ever holds a value: many of them are secrets.
 * Pure: no I/O, no clock.
 */
import type { z } from "zod";
import { tellSecretIssue } from "../lib/issue-text.ts";
import { editDistance } from "../lib/nearest.ts";
import { toSentence } from "../lib/sentence.ts";
import { parseStrictJson } from "../lib/strict-json.ts";

/** The start stops here. The message is for the operator: which variable, what is wrong, what to do. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Every name, in the order of the README's table; a test compares the two. */
export const VARIABLE_NAMES = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_BASE_URL",
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "QUERENT_MODEL",
  "QUERENT_LIMITS",
  "QUERENT_LOOP",
  "QUERENT_RETENTION_DAYS",
  "QUERENT_CALLERS",
  "QUERENT_ACCESS",
  "QUERENT_PRICES",
  "QUERENT_CORS_ORIGINS",
  "WEBHOOK_SOURCES",
  "WEBHOOK_SIGNING_SECRET",
  "CALLBACK_ORIGINS",
  "SLACK_SIGNING_SECRET",
  "SLACK_BOT_TOKEN",
  "SLACK_CALLER",
  "SLACK_RESPONSE_ORIGIN",
  "SLACK_API_ORIGIN",
  "QUERENT_LOCAL",
] as const;

export type VariableName = (typeof VARIABLE_NAMES)[number];
/** What the platform hands in: variables among other bindings, so nothing is known of a value. */
export type Variables = { readonly [name: string]: unknown };

/** These prefixes are ours alone, so any other name that starts with one is a mistake. */
const OWN_PREFIX = /^(?:QUERENT|WEBHOOK|CALLBACK|SLACK)_/i;
/** Two slips of the finger. Names of other people's bindings are further away than that. */
const NEAR_DISTANCE_MAX = 2;

/** Stops the start when a name is unknown and ours, or very near to one that is known. */
export function assertKnownNames(variables: Variables): void {
  const known: readonly string[] = VARIABLE_NAMES;
  for (const name of Object.keys(variables)) {
    if (known.includes(name)) continue;
    const near = known.find((other) => editDistance(name.toUpperCase(), other) <= NEAR_DISTANCE_MAX);
    if (near !== undefined)
      throw new ConfigError(`${name} is not a setting. Did you mean ${near}? Rename or remove it.`);
    if (OWN_PREFIX.test(name)) {
      throw new ConfigError(`${name} is not a setting. Remove it; the settings are ${known.slice(0, -1).join(", ")}.`);
    }
  }
}

/** The trimmed text of a variable (a secret piped in often ends in a newline), or null when it is unset or empty. */
export function readText(variables: Variables, name: VariableName): string | null {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw new ConfigError(`${name} must be text, not ${kindOf(value)}.`);
  const text = value.trim();
  return text === "" ? null : text;
}

/** A secret or a name: no spaces or control characters inside. */
export function readWord(variables: Variables, name: VariableName): string | null {
  const text = readText(variables, name);
  if (text !== null && !/^[\x21-\x7e]+$/.test(text)) {
    throw new ConfigError(`${name} holds a space or a character that is not plain ASCII. Paste it again.`);
  }
  return text;
}

/**
 * A JSON setting checked by `schema`, or null when it is unset. `example` closes every message. Wrangler can also hand
 * in a variable that is already an object; it is taken as it is.
 */
export function readJson<T>(variables: Variables, name: VariableName, schema: z.ZodType<T>, example: string): T | null {
  const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
  let value = given;
  if (typeof given !== "object" || given === null) {
    const text = readText(variables, name);
    if (text === null) return null;
    const json = parseStrictJson(text);
    if (!json.ok) {
      const where = json.error.reason === "syntax" ? "" : ` (${json.error.pointer})`;
      throw new ConfigError(`${name} is not valid JSON: ${json.error.message}${where} ${example}`);
    }
    value = json.value;
  }
  const parsed = schema.safeParse(value, { error: tellSecretIssue });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.map(String).join(".")}`;
  // A name that is refused carries its reason one level down.
  const reason = issue?.code === "invalid_key" ? issue.issues[0]?.message : issue?.message;
  throw new ConfigError(`${name} is wrong${where}: ${clause(reason ?? "unknown fault")} ${example}`);
}

/** What may follow a colon and end a sentence. */
function clause(message: string): string {
  return toSentence(`${message.charAt(0).toLowerCase()}${message.slice(1)}`);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
