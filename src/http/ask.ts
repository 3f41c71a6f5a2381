/**
 * What a question may carry: the body of `POST /v1/runs`, its schema, and its check against what the caller may have.
 *
 * Owns: the names of the tools a caller may choose from, and the refusals with their codes. Leaves to others: opening the
 * run (open-run.ts), the meaning of a limit (agent/limits.ts). Pure: no I/O, no clock.
 */
import * as z from "zod";
import { type FullLimits, type Limits, limitsRequestSchema, resolveLimits } from "../agent/limits.ts";
import { parseCallbackUrl } from "../config/callback-url.ts";
import type { Caller } from "../config/callers.ts";
import type { Config } from "../config.ts";
import { err, ok, type Result } from "../lib/result.ts";
import type { Refusal } from "./problems.ts";
import { parseQuestion, QUESTION_CHARS_MAX } from "./question.ts";

/** Tools for notes and a plan: for hard questions, where a few calls more are worth it. */
const DEEP_TOOL_NAMES = ["notes", "plan"] as const;
/** For runs with somebody to ask. */
const ASK_TOOL_NAME = "ask_user";

/** The tools of this release. A test compares them with the tools themselves. */
export const TOOL_NAMES = [
  "list_tables",
  "describe_tables",
  "execute_read_only_sql",
  "read_result",
  ASK_TOOL_NAME,
  ...DEEP_TOOL_NAMES,
  "final_answer",
] as const;

const questionSchema = z
  .string()
  .meta({
    minLength: 1,
    maxLength: QUESTION_CHARS_MAX,
    description: `The question, in plain words: 1 to ${QUESTION_CHARS_MAX.toLocaleString("en")} characters, no control characters.`,
    examples: ["Which country's customers have spent the most?"],
  })
  .transform((text, context) => {
    const parsed = parseQuestion(text);
    if (parsed.ok) return parsed.value;
    context.addIssue({ code: "custom", message: parsed.error });
    return z.NEVER;
  });

export const askSchema = z.strictObject({
  question: questionSchema,
  limits: limitsRequestSchema.optional().meta({ description: "Ceilings of this run; absent ones are the defaults." }),
  model: z.string().min(1).max(200).optional().meta({ description: "A model id; absent: the server's default." }),
  mode: z.enum(["auto", "manual"]).optional().meta({
    description: "`auto` (default): the run drives itself. `manual`: one step for each `POST …/steps`.",
  }),
  grounding: z.enum(["off", "report", "require"]).optional().meta({
    description: "`report` (default): says when an answer rests on no query. `require`: refuses such an answer.",
  }),
  depth: z.enum(["standard", "deep"]).optional().meta({
    description: "`deep`: the model also gets notes and a plan, to think a hard question through. Default: `standard`.",
  }),
  tools: z
    .array(z.string().max(100))
    .max(32)
    .optional()
    .meta({
      description: `Tools of this run: ${TOOL_NAMES.join(", ")}. Absent: those of the depth. An empty list: none.`,
    }),
  may_ask: z.boolean().optional().meta({
    description: "Whether the model may ask you back (the run then waits for `POST …/reply`). Absent: as set for you.",
  }),
  approve_above_rows: z
    .int()
    .min(0)
    .optional()
    .meta({
      description:
        "A query whose plan expects to read more rows waits for `POST …/approve`; 0: every query that reads any. " +
        "Absent: as the operator has set it for you, and never more than that.",
    }),
  callback_url: z.string().min(1).max(2_000).optional().meta({
    description: "Where the finished run is sent, signed. The operator decides which origins are allowed.",
  }),
});

export type Ask = z.output<typeof askSchema>;

/** A question with everything decided: ready to be opened. */
export interface CheckedAsk {
  readonly question: string;
  readonly mode: "auto" | "manual";
  readonly grounding: "off" | "report" | "require";
  readonly model: string;
  readonly tools: readonly string[];
  readonly limits: Limits;
  readonly callbackUrl: string | null;
  /** Absent: no query waits for a person. */
  readonly approveAboveRows?: number;
}

/** Checks `ask` against the caller and the settings. `ownHost`: this server's host name, as the request gave it. */
export function checkAsk(ask: Ask, caller: Caller, config: Config, ownHost: string): Result<CheckedAsk, Refusal> {
  const model = checkModel(ask.model, caller, config);
  if (!model.ok) return model;
  const tools = checkTools(ask, caller.mayAsk);
  if (!tools.ok) return tools;
  const limits = checkLimits(ask.limits, caller.limits);
  if (!limits.ok) return limits;
  const callbackUrl = checkCallback(ask.callback_url ?? caller.callbackUrl, config, ownHost);
  if (!callbackUrl.ok) return callbackUrl;
  const approval = checkApproval(ask.approve_above_rows, caller);
  if (!approval.ok) return approval;
  return ok({
    question: ask.question,
    mode: ask.mode ?? "auto",
    grounding: ask.grounding ?? "report",
    model: model.value,
    tools: tools.value,
    limits: limits.value,
    callbackUrl: callbackUrl.value,
    ...approval.value,
  });
}

/** From how many rows on a person is asked: what the operator has set can be tightened by who asks, not loosened. */
export function checkApproval(
  asked: number | undefined,
  { approveAboveRows }: Pick<Caller, "approveAboveRows">,
): Result<Pick<CheckedAsk, "approveAboveRows">, Refusal> {
  const rows = asked ?? approveAboveRows;
  if (rows === null) return ok({});
  if (approveAboveRows === null || rows <= approveAboveRows) return ok({ approveAboveRows: rows });
  const detail = `approve_above_rows may be ${approveAboveRows} at most.`;
  const errors = [{ detail: `${rows} is above your maximum of ${approveAboveRows}.`, pointer: "#/approve_above_rows" }];
  return err({
    code: "limit_above_maximum",
    detail,
    options: { errors, more: { max: { approve_above_rows: approveAboveRows } } },
  });
}

/** The models that this caller may name. */
export function modelsOf(caller: Caller, config: Config): readonly string[] {
  return caller.models === null ? config.models : config.models.filter((id) => caller.models?.includes(id));
}

/** The model of a question that names none: a caller that may not use the server's gets the first of its own list. */
export function defaultModelOf(caller: Caller, config: Config): string | undefined {
  const available = modelsOf(caller, config);
  return available.includes(config.model) ? config.model : available[0];
}

/** Limits within the caller's maxima, or a refusal that names every maximum that is passed. */
export function checkLimits(
  requested: Ask["limits"],
  limits: { readonly default: FullLimits; readonly max: FullLimits },
): Result<Limits, Refusal> {
  const resolved = resolveLimits(requested ?? {}, limits.default, limits.max);
  if (!resolved.ok) {
    const errors = resolved.error.map(({ name, requested: asked, max }) => ({
      detail: `${asked} is above your maximum of ${max}.`,
      pointer: `#/limits/${name}`,
    }));
    const maxima = Object.fromEntries(resolved.error.map(({ name, max }) => [name, max]));
    const detail = resolved.error.map(({ name, max }) => `${name} may be ${max} at most.`).join(" ");
    return err({ code: "limit_above_maximum", detail, options: { errors, more: { max: maxima } } });
  }
  if (resolved.value.costNanoUsdMax < 1) {
    const errors = [{ detail: "The smallest budget is 1e-9 dollars.", pointer: "#/limits/budget_usd" }];
    return err({ code: "invalid_request", detail: "The budget is below a nano-dollar.", options: { errors } });
  }
  return ok(resolved.value);
}

function checkModel(asked: string | undefined, caller: Caller, config: Config): Result<string, Refusal> {
  const available = modelsOf(caller, config);
  const model = asked ?? defaultModelOf(caller, config);
  if (model !== undefined && available.includes(model)) return ok(model);
  const key = config.anthropic.apiKey === null ? " Claude models need ANTHROPIC_API_KEY on the server." : "";
  const detail = `You may use: ${available.join(", ")}.${key}`;
  const errors = [{ detail: "This model is not available to you.", pointer: "#/model" }];
  return err({ code: "model_not_available", detail, options: { errors, more: { available } } });
}

/** A list of tools is taken as it is; without one, those of the depth, and with a person the question to them. */
function checkTools(ask: Ask, callerMayAsk: boolean): Result<readonly string[], Refusal> {
  const { tools: asked, depth, may_ask: mayAsk = callerMayAsk } = ask;
  const isOffered = (name: string): boolean =>
    name === ASK_TOOL_NAME ? mayAsk : depth === "deep" || !DEEP_TOOL_NAMES.some((deep) => deep === name);
  if (asked === undefined) return ok(TOOL_NAMES.filter(isOffered));
  const known: readonly string[] = TOOL_NAMES;
  const errors = asked.flatMap((name, index) =>
    known.includes(name) ? [] : [{ detail: "There is no such tool.", pointer: `#/tools/${index}` }],
  );
  if (errors.length === 0) return ok([...new Set(asked)]);
  const detail = `The tools are ${TOOL_NAMES.join(", ")}.`;
  return err({ code: "unknown_tool", detail, options: { errors, more: { available: TOOL_NAMES } } });
}

/** An address that callbacks may go to, or null for none. */
export function checkCallback(asked: string | null, config: Config, ownHost: string): Result<string | null, Refusal> {
  if (asked === null) return ok(null);
  // An address that nothing would sign is as good as none.
  const origins = config.webhookSigningSecrets.length === 0 ? [] : config.callbackOrigins;
  const parsed = parseCallbackUrl(asked, { origins, ownHost });
  if (parsed.ok) return parsed;
  const errors = [{ detail: parsed.error, pointer: "#/callback_url" }];
  return err({ code: "invalid_request", detail: `#/callback_url: ${parsed.error}`, options: { errors } });
}
