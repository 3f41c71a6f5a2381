/**
 * Spans of OpenTelemetry for each model call and each tool call of a run, by Workers' own tracing: beside the platform's
 * spans of fetches, D1 queries and storage, which stand under them, and exported with them where the account says.
 *
 * Owns: names and attributes, those of the gen_ai conventions: `chat MODEL`, `execute_tool NAME`. Nothing in them comes
 * from a question, a row, an answer or a key. Leaves to others: the run's own line in the log (log-lines.ts). The
 * platform's tracing is a parameter, so that this runs in Node; where nobody traces, a span is a call of a function.
 */
import type { Model, ModelOutcome } from "../agent/model.ts";
import type { CheckedCall, Tool } from "../agent/tool.ts";
import { ok } from "../lib/result.ts";

/** The part of `tracing` of `cloudflare:workers` that is used. */
export interface Tracing {
  enterSpan<T>(name: string, run: (span: Span) => T): T;
  /** The span that is open, the platform's own if there is no other. */
  getActiveSpan?(): Span | undefined;
}

export interface Span {
  /** False where nobody looks. */
  readonly isTraced?: boolean;
  setAttribute(key: string, value: boolean | number | string): unknown;
}

/** The same model, each of its calls inside a span. `runId` is the conversation, `provider` a word of the convention. */
export function traceModel(model: Model, runId: string, provider: string, tracing: Tracing): Model {
  return {
    info: model.info,
    boundInputTokens: (request) => model.boundInputTokens(request),
    countInputTokens: (request, signal) => model.countInputTokens(request, signal),
    complete: (request, signal) => {
      if (!isTraced(tracing)) return model.complete(request, signal);
      return tracing.enterSpan(`chat ${model.info.id}`, async (span) => {
        span.setAttribute("gen_ai.operation.name", "chat");
        span.setAttribute("gen_ai.provider.name", provider);
        span.setAttribute("gen_ai.request.model", model.info.id);
        span.setAttribute("gen_ai.request.max_tokens", request.maxTokens);
        span.setAttribute("gen_ai.conversation.id", runId);
        const outcome = await model.complete(request, signal);
        describe(outcome, span);
        return outcome;
      });
    },
  };
}

/** False where nobody looks: then no span is opened, which costs a fiftieth of a step. */
function isTraced(tracing: Tracing): boolean {
  return tracing.getActiveSpan?.()?.isTraced !== false;
}

function describe(outcome: ModelOutcome, span: Span): void {
  if (outcome.kind !== "reply") {
    span.setAttribute("error.type", outcome.code);
    return;
  }
  const { usage, finish } = outcome.reply;
  const { input, cacheWrite5m, cacheWrite1h, cacheRead, output } = usage;
  span.setAttribute("gen_ai.response.finish_reasons", finish);
  // All of the prompt, cached or not, as the convention has it.
  span.setAttribute("gen_ai.usage.input_tokens", input + cacheWrite5m + cacheWrite1h + cacheRead);
  span.setAttribute("gen_ai.usage.cache_read.input_tokens", cacheRead);
  span.setAttribute("gen_ai.usage.cache_creation.input_tokens", cacheWrite5m + cacheWrite1h);
  span.setAttribute("gen_ai.usage.output_tokens", output);
}

/** The same tool, each of its calls inside a span. */
export function traceTool(tool: Tool, runId: string, tracing: Tracing): Tool {
  return {
    name: tool.name,
    description: tool.description,
    // Asked for only when a run begins: a copy would make the schema at every wake.
    get inputSchema() {
      return tool.inputSchema;
    },
    check: (input) => {
      const checked = tool.check(input);
      return checked.ok ? ok(traceCall(tool.name, checked.value, runId, tracing)) : checked;
    },
  };
}

function traceCall(name: string, call: CheckedCall, runId: string, tracing: Tracing): CheckedCall {
  return {
    ...call,
    run: (context) => {
      if (!isTraced(tracing)) return call.run(context);
      return tracing.enterSpan(`execute_tool ${name}`, async (span) => {
        span.setAttribute("gen_ai.operation.name", "execute_tool");
        span.setAttribute("gen_ai.tool.name", name);
        span.setAttribute("gen_ai.tool.type", "function");
        span.setAttribute("gen_ai.conversation.id", runId);
        const outcome = await call.run(context);
        if (outcome.observation.status === "error") span.setAttribute("error.type", "tool_error");
        return outcome;
      });
    },
  };
}
