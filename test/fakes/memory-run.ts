/**
 * A run in memory for tests of the core: a journal of plain arrays, a clock that only tests move, fake tools, and a
 * crash that can be put before and after every save and every effect. What was saved before a crash survives it;
 * nothing else does. After every save the invariants A1–A5 and L1–L3 are checked.
 */
import { strict as nodeAssert } from "node:assert";
import { z } from "zod";
import { type Advance, advance } from "../../src/agent/advance.ts";
import type { Event } from "../../src/agent/event.ts";
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX, type LimitsRequest, resolveLimits } from "../../src/agent/limits.ts";
import type { Message, Model, ModelOutcome, ModelRequest } from "../../src/agent/model.ts";
import { failure, success } from "../../src/agent/observation.ts";
import type { StepPorts } from "../../src/agent/ports.ts";
import { openingText, systemText } from "../../src/agent/prompt.ts";
import type { RunEvent } from "../../src/agent/run-event.ts";
import { type AgentState, createState, type NewRun } from "../../src/agent/state.ts";
import { decodeState, encodeState } from "../../src/agent/state-record.ts";
import { runStep, type StepResult } from "../../src/agent/step.ts";
import type { StoredPlan } from "../../src/agent/stored-plan.ts";
import {
  defineTool,
  type Foreseen,
  type StoredResult,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from "../../src/agent/tool.ts";
import { askedId } from "../../src/agent/waiting.ts";
import { ok } from "../../src/lib/result.ts";
import { normalizeSql } from "../../src/sql/gate.ts";
import { queryTables } from "../../src/tools/query-tables.ts";

/** Thrown by a crash point; nothing in the core may catch it. */
export class Crash extends Error {}

export interface MemoryOptions {
  readonly limits?: LimitsRequest;
  readonly run?: Partial<NewRun>;
  readonly tools?: readonly Tool[];
  /** What the run follows instead of asking the model. */
  readonly plan?: StoredPlan;
  /** Milliseconds that one model call and one tool call take. */
  readonly effectMs?: number;
  /** Called at every crash point, in order, with its number and name; may throw `Crash`. */
  readonly atPoint?: (point: number, name: string) => void;
  /** What a person says to an approval (and "Revenue" to a question); absent, or null: nothing, until it expires. */
  readonly person?: (state: AgentState) => "approved" | "declined" | null;
  /** Called while something is awaited that nothing is reserved for: the vendor's count, a query's plan. */
  readonly whileAsking?: () => void;
}

export interface MemoryRun {
  readonly ports: StepPorts;
  readonly clock: { now: number };
  state(): AgentState;
  messages(): readonly Message[];
  events(): readonly RunEvent[];
  messageAt(number: number): Message | null;
  load(): AgentState;
  results(): readonly StoredResult[];
  /** Crash points passed so far. */
  points(): number;
  step(): Promise<StepResult>;
  /** Steps until finished, over crashes, as the alarm would; returns the number of invocations. */
  finish(invocationsMax?: number): Promise<number>;
  /** Applies one event from outside, such as a cancel. */
  save(advance: Advance): void;
  /** Requests that reached the model, with the state that was stored at that moment. */
  readonly calls: { readonly request: ModelRequest; readonly stored: AgentState }[];
}

/** A query tool that answers from a function of the SQL text; `rowsRead` is 10 a query. */
export function queryTool(answer: (sql: string) => { columns: string[]; rows: (string | number)[][] } | Error): Tool {
  return defineTool({
    name: "execute_read_only_sql",
    description: "Runs one read-only query.",
    input: z.strictObject({ sql: z.string() }),
    canonical: ({ sql }) => ({ sql: normalizeSql(sql) }),
    family: ({ sql }) => queryTables(sql),
    foresee: async () => ({ rowsRead: 10, tables: ["T"], plan: () => ["SCAN T"] }),
    run: async ({ sql }, context) => {
      const found = answer(sql);
      if (found instanceof Error) {
        const query = { sql, durationMs: 1, rowsRead: 0, rows: 0, error: found.message, ref: null };
        return { observation: failure(found.message, ["Mend the query."]), rowsRead: 0, query, isOwnFault: true };
      }
      const { stored } = await context.results.put({ sql, ...found, totalRows: found.rows.length, truncated: false });
      const query = { sql, durationMs: 1, rowsRead: 10, rows: found.rows.length, error: null, ref: stored.ref };
      const artifacts = [{ kind: "result" as const, ref: stored.ref, rows: found.rows.length }];
      return { observation: success(`${found.rows.length} rows`, found, artifacts), rowsRead: 10, query };
    },
  });
}

/** `final_answer` without any check of its references. */
export const finalAnswerTool: Tool = defineTool({
  name: "final_answer",
  description: "Ends the run.",
  input: z.strictObject({ answer: z.string().min(1), results: z.array(z.string()).optional() }),
  run: async ({ answer, results }) => ({
    observation: success("Answer received."),
    rowsRead: 0,
    query: null,
    final: { answer, results: results ?? [], citations: [] },
  }),
});

export function createMemoryRun(model: Model, options: MemoryOptions = {}): MemoryRun {
  const clock = { now: 1_000_000 };
  const resolved = resolveLimits(options.limits ?? {}, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX);
  nodeAssert(resolved.ok, "limits of the test are within the maximum");
  const tools = options.tools ?? [queryTool(() => ({ columns: ["n"], rows: [[1]] })), finalAnswerTool];
  const specs = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const { plan } = options;
  const run: NewRun = {
    id: "run_test",
    question: "How many?",
    caller: "test",
    mode: "auto",
    grounding: "report",
    model: model.info.id,
    tools: tools.map((tool) => tool.name),
    limits: resolved.value,
    ...(plan === undefined ? {} : { again: { runId: plan.runId, answeredAt: plan.answeredAt, changed: null } }),
    ...options.run,
  };
  const opening: Message = { role: "user", text: openingText(run.question, run.limits) };
  let head = encodeState({ ...createState(run, clock.now), messages: 1 });
  const messages: Message[] = [opening];
  const events: RunEvent[] = [];
  const results: StoredResult[] = [];
  const calls: MemoryRun["calls"] = [];
  let points = 0;
  let tokens = 0;
  const load = (): AgentState => {
    const decoded = decodeState(head);
    nodeAssert(decoded.ok, "the stored state decodes");
    return decoded.value;
  };
  const point = (name: string): void => options.atPoint?.(points++, name);
  const write = (advance: Advance, added: readonly StoredResult[]): void => {
    checkSave(load(), advance);
    head = encodeState(advance.state);
    messages.push(...advance.messages);
    events.push(...advance.events);
    results.push(...added);
    checkTranscript(messages, load());
  };
  const ports: StepPorts = {
    journal: {
      load,
      pinned: () => ({
        system: systemText("table T (1 rows)\n  n INTEGER"),
        tools: specs,
        ...(plan === undefined ? {} : { plan }),
      }),
      messages: () => [...messages],
      results: () => [...results],
      save: async (advance, added) => {
        point("before save");
        write(advance, added);
        point("after save");
      },
    },
    model: {
      ...model,
      countInputTokens: async (request, signal) => {
        const counted = await model.countInputTokens(request, signal);
        options.whileAsking?.();
        return counted;
      },
      complete: async (request, signal): Promise<ModelOutcome> => {
        point("before model call");
        const stored = load();
        nodeAssert.equal(stored.attempt?.kind, "model", "L1: no call leaves before its reservation is stored");
        calls.push({ request, stored });
        const outcome = await model.complete(request, signal);
        clock.now += options.effectMs ?? 5;
        point("after model call");
        return outcome;
      },
    },
    tools: new Map(tools.map((tool) => [tool.name, guarded(tool, load, clock, point, options)])),
    now: () => clock.now,
    random: () => 0.5,
    newToken: () => `t${tokens++}`,
    signalFor: (attempt) => (attempt.abortAt <= clock.now ? AbortSignal.abort() : new AbortController().signal),
  };
  const step = (): Promise<StepResult> => runStep(ports);
  /** A person takes an hour. */
  const decide = async (decision: "approved" | "declined"): Promise<void> => {
    clock.now += 60 * 60 * 1_000;
    const word: Event =
      load().waiting?.kind === "reply"
        ? { kind: "question_answered", reply: "Revenue", by: "team" }
        : { kind: "approval_decided", decision, note: null, by: "team" };
    await ports.journal.save(advance(load(), word, clock.now), []);
  };
  const finish = async (invocationsMax = 500): Promise<number> => {
    for (let invocation = 1; invocation <= invocationsMax; invocation += 1) {
      try {
        const result = await step();
        if (result.kind === "finished") return invocation;
        const decision = askedId(load()) === null ? null : (options.person?.(load()) ?? null);
        if (decision !== null) await decide(decision);
        else clock.now = result.kind === "wait" ? result.until : clock.now + 1;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        clock.now += 3_000;
      }
    }
    throw new Error("A6: the run did not finish");
  };
  return {
    ports,
    clock,
    state: load,
    messages: () => messages,
    events: () => events,
    messageAt: (number) => messages[number] ?? null,
    load,
    results: () => results,
    points: () => points,
    step,
    finish,
    save: (advance) => write(advance, []),
    calls,
  };
}

function guarded(
  tool: Tool,
  load: () => AgentState,
  clock: { now: number },
  point: (name: string) => void,
  { effectMs = 5, whileAsking }: MemoryOptions,
): Tool {
  return {
    ...tool,
    check: (input) => {
      const checked = tool.check(input);
      if (!checked.ok) return checked;
      const run = async (context: ToolContext): Promise<ToolOutput> => {
        point(`before ${tool.name}`);
        nodeAssert.equal(load().attempt?.kind, "tools", "L1: no tool runs before its reservation is stored");
        const output = await checked.value.run(context);
        clock.now += effectMs;
        point(`after ${tool.name}`);
        return output;
      };
      const foresee = async (): Promise<Foreseen> => {
        const foreseen = await checked.value.foresee();
        whileAsking?.();
        return foreseen;
      };
      return ok({ ...checked.value, run, foresee });
    },
  };
}

/** A1, A3, A4 (advance asserts it too), A7, L3, and that rows only grow. */
function checkSave(before: AgentState, { state }: Advance): void {
  if (before.ending !== null) nodeAssert.deepEqual(state.ending, before.ending, "A1: finish is final");
  for (const meter of Object.keys(before.usage) as (keyof AgentState["usage"])[]) {
    nodeAssert(state.usage[meter] >= before.usage[meter], `A3: ${meter} fell`);
  }
  const { limits, usage, attempt } = state;
  const overrun = usage.rowsOverrun;
  nodeAssert(usage.costNanoUsd + (attempt?.reservedNanoUsd ?? 0) <= limits.costNanoUsdMax + overrun, "A4: dollars");
  nodeAssert(usage.steps <= limits.stepsMax, "A4: steps");
  nodeAssert(usage.hops <= limits.hopsMax, "A4: hops");
  nodeAssert(usage.modelCalls <= limits.modelCallsMax, "A4: model calls");
  if (attempt !== null && before.attempt === null) {
    const left = limits.wallClockMs - usage.activeMs;
    nodeAssert(attempt.abortAt <= state.touchedAt + Math.max(0, left), "L3: no effect outlives the deadline");
  }
  if (state.ending !== null && state.ending.outcome !== "answered") {
    nodeAssert.equal(state.ending.answer, null, "A7: only answered has an answer");
  }
}

/** A5: before the next model call, each tool call in the transcript has exactly one result, in order. */
function checkTranscript(messages: readonly Message[], state: AgentState): void {
  messages.forEach((message, index) => {
    if (message.role !== "assistant" || message.calls.length === 0) return;
    const next = messages[index + 1];
    if (next === undefined) {
      nodeAssert(state.phase === "action" || state.phase === "finish", "A5: open calls only in the action phase");
      return;
    }
    nodeAssert.equal(next.role, "tool", "A5: results follow the calls");
    if (next.role !== "tool") return;
    nodeAssert.deepEqual(
      next.results.map((result) => result.callId),
      message.calls.map((call) => call.id),
      "A5: each call has exactly one result, in order",
    );
  });
}
