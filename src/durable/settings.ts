/**
 * What a run was started with, as it is kept beside its state: the caller's scopes and addresses, fixed for its life.
 *
 * STORED CONTRACT: fields are only ever added, with a default. A run whose settings cannot be read ends as failed; it
 * never goes on without its scopes. Pure: no I/O, no clock.
 */
import * as z from "zod";
import { limitsSchema } from "../agent/limits.ts";
import { err, ok, type Result } from "../lib/result.ts";
import type { StartRun } from "./contract.ts";
import { slackOriginSchema } from "./slack-origin.ts";

const names = z.array(z.string()).readonly();

const scopesSchema = z.strictObject({
  tables: z.strictObject({ allow: names.exactOptional(), deny: names.exactOptional() }).exactOptional(),
  columns: z.strictObject({ deny: names.exactOptional(), mask: names.exactOptional() }).exactOptional(),
  maskValues: z.array(z.enum(["email", "phone", "credit_card", "us_ssn", "ip_address"])).exactOptional(),
  rowCap: z.int().min(1).exactOptional(),
});

const settingsSchema = z.strictObject({
  id: z.string().min(1),
  question: z.string().min(1),
  caller: z.string().min(1),
  mode: z.enum(["auto", "manual"]),
  grounding: z.enum(["off", "report", "require"]),
  model: z.string().min(1),
  tools: z.array(z.string()),
  limits: limitsSchema,
  scopes: scopesSchema,
  callbackUrl: z.string().nullable(),
  slack: slackOriginSchema.nullable().default(null),
  /** Spent by the run this one carries on from, and charged to the caller there. */
  inheritedNanoUsd: z.int().min(0).default(0),
  promptCache: z.enum(["5m", "1h"]).exactOptional(),
  approveAboveRows: z.int().min(0).exactOptional(),
});

export type RunSettings = StartRun & { readonly inheritedNanoUsd: number };

export function encodeSettings(settings: RunSettings): string {
  return JSON.stringify(settings);
}

/** JSON text to settings, or what is wrong with it. */
export function decodeSettings(text: string): Result<RunSettings, string> {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return err("The stored settings are not JSON.");
  }
  const parsed = settingsSchema.safeParse(record);
  if (parsed.success) return ok(parsed.data);
  return err(`The stored settings do not fit their schema at "${parsed.error.issues[0]?.path.join(".") ?? ""}".`);
}
