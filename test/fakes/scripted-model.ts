/**
 * The port to an LLM, played from a script in memory: no network, no latency, and nothing a vendor would refuse is
 * checked here (fake-anthropic.ts does that over real HTTP).
 *
 * It records every request, fails an unexpected call, and `assertUsed` fails when replies are left. An unexpected call
 * is answered with a fatal failure as well as recorded, because the port never throws.
 */
import type {
  FinishReason,
  Model,
  ModelFailure,
  ModelInfo,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  TokenUsage,
  ToolCall,
} from "../../src/agent/model.ts";

/** A reply or failure, or a function of the request and the number of the call, from 0. */
export type ScriptedStep = ModelOutcome | ((request: ModelRequest, n: number) => ModelOutcome | Promise<ModelOutcome>);

export interface ScriptedModel extends Model {
  readonly requests: readonly ModelRequest[];
  /** Requests whose tokens were counted. */
  readonly counts: readonly ModelRequest[];
  /** Throws when a call was unexpected or a reply was not used. */
  assertUsed(): void;
}

export interface ScriptedOptions {
  readonly info?: Partial<ModelInfo>;
  /** Tokens that `boundInputTokens` gives; by default one a character of the request's JSON. */
  readonly bound?: (request: ModelRequest) => number;
  /** Tokens that `countInputTokens` gives; by default null, as when a vendor cannot say. */
  readonly count?: (request: ModelRequest) => number | null;
}

/** $2 and $10 per million tokens, the prices of an ordinary model. */
export const SCRIPTED_INFO: ModelInfo = {
  id: "scripted",
  contextWindow: 1_000_000,
  maxOutputTokens: 128_000,
  tiers: [
    { abovePromptTokens: 0, input: 2_000, cacheWrite5m: 2_500, cacheWrite1h: 4_000, cacheRead: 100, output: 10_000 },
  ],
  priceMultiplierMax: 1,
};

/** A model that answers by `script`: a list of steps, or one function for every call. */
export function createScriptedModel(
  script: readonly ScriptedStep[] | ((request: ModelRequest, n: number) => ModelOutcome | Promise<ModelOutcome>),
  options: ScriptedOptions = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const counts: ModelRequest[] = [];
  const faults: string[] = [];
  return {
    info: { ...SCRIPTED_INFO, ...options.info },
    requests,
    counts,
    boundInputTokens:
      options.bound ?? ((request) => JSON.stringify([request.system, request.tools, request.messages]).length),
    async countInputTokens(request) {
      counts.push(request);
      return options.count?.(request) ?? null;
    },
    async complete(request, signal) {
      const n = requests.length;
      requests.push(request);
      if (signal.aborted) return fail("aborted", "aborted");
      const step = typeof script === "function" ? script : script[n];
      if (step === undefined) {
        faults.push(`call ${n + 1} was unexpected`);
        return fail("fatal", "unexpected_call");
      }
      return typeof step === "function" ? await untilAborted(step(request, n), signal) : step;
    },
    assertUsed() {
      const left = typeof script === "function" ? 0 : Math.max(0, script.length - requests.length);
      if (left > 0) faults.push(`${left} replies were not used`);
      if (faults.length > 0) throw new Error(`scripted-model: ${faults.join("; ")}`);
    },
  };
}

let lastId = 0;

/** A tool call. Ids are unique within the process, as a vendor's are. */
export function call(name: string, input: unknown, id?: string): ToolCall {
  lastId += 1;
  return { id: id ?? `call_${lastId}`, name, input };
}

export interface ReplyOptions {
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
  readonly thinking?: string;
  readonly finish?: FinishReason;
  readonly rawFinish?: string;
  readonly usage?: Partial<TokenUsage>;
  readonly priceMultiplier?: number;
}

/** A whole reply, with content in the form of the Messages API. */
export function reply(options: ReplyOptions): ModelOutcome {
  const calls = options.calls ?? [];
  const text = options.text ?? "";
  const finish = options.finish ?? (calls.length > 0 ? "tool_use" : "end_turn");
  const made: ModelReply = {
    content: [
      ...(options.thinking === undefined
        ? []
        : [{ type: "thinking", thinking: options.thinking, signature: "scripted" }]),
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...calls.map((one) => ({ type: "tool_use", id: one.id, name: one.name, input: one.input })),
    ],
    text,
    hasThinking: options.thinking !== undefined,
    calls,
    finish,
    rawFinish: options.rawFinish ?? finish,
    usage: { input: 100, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 20, ...options.usage },
    priceMultiplier: options.priceMultiplier ?? 1,
    requestId: null,
  };
  return { kind: "reply", reply: made };
}

/** The model calls one tool. */
export function callTool(
  name: string,
  input: unknown,
  options: Omit<ReplyOptions, "calls"> & { readonly id?: string } = {},
): ModelOutcome {
  const { id, ...rest } = options;
  return reply({ ...rest, calls: [call(name, input, id)] });
}

/** The model says something and stops. */
export function say(text: string, options: Omit<ReplyOptions, "text"> = {}): ModelOutcome {
  return reply({ ...options, text });
}

/** The model ends the run with the tool made for that. */
export function finalAnswer(
  input: Readonly<Record<string, unknown>>,
  options: Omit<ReplyOptions, "calls"> = {},
): ModelOutcome {
  return callTool("final_answer", input, options);
}

/** The call fails. Like most, it counts as billed unless told otherwise. */
export function fail(
  kind: ModelFailure["kind"],
  code = kind === "retryable" ? "overloaded" : kind === "fatal" ? "invalid_request" : "aborted",
  facts: Partial<Omit<ModelFailure, "kind" | "code">> = {},
): ModelFailure {
  return {
    kind,
    code,
    status: null,
    retryAfterMs: null,
    message: `scripted failure: ${code}`,
    unbilled: false,
    requestId: null,
    ...facts,
  };
}

/** A step that never ends by itself: only the signal ends it. */
export function never(): ScriptedStep {
  return () => new Promise<ModelOutcome>(() => undefined);
}

function untilAborted(outcome: ModelOutcome | Promise<ModelOutcome>, signal: AbortSignal): Promise<ModelOutcome> {
  return Promise.race([
    outcome,
    new Promise<ModelOutcome>((resolve) => {
      signal.addEventListener("abort", () => resolve(fail("aborted", "aborted")), { once: true });
    }),
  ]);
}
