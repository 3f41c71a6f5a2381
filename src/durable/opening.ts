/**
 * The first checkpoint of a run: what is pinned for its life (system text with the schema, tools), the opening message,
 * the first event. Pinned texts do not change with a deploy, nor with the schema (mechanism: prefix stays valid).
 *
 * Owns: that a schema which cannot be read becomes an ending that says so, not a hang and not a run without a schema.
 */
import { type Advance, advance } from "../agent/advance.ts";
import type { Pinned } from "../agent/ports.ts";
import { openingText, systemText } from "../agent/prompt.ts";
import { type RunEvent, sqlOf } from "../agent/run-event.ts";
import { type AgentState, createState } from "../agent/state.ts";
import type { StoredPlan } from "../agent/stored-plan.ts";
import { ok, type Result } from "../lib/result.ts";
import { queryTables } from "../tools/query-tables.ts";
import type { StartRun } from "./contract.ts";
import { createRun, type Opening } from "./journal.ts";
import type { Wiring } from "./wiring.ts";

/** Writes the first checkpoint of a new run, which is read from the database as `wiring` reaches it. */
export async function beginRun(storage: DurableObjectStorage, input: StartRun, wiring: Wiring): Promise<void> {
  createRun(storage, openRun(input, wiring, await readSchema(input, wiring), Date.now()), Date.now());
}

/** A stored plan needs no schema: its queries are written. */
async function readSchema(input: StartRun, wiring: Wiring): Promise<Result<string, string>> {
  if (!wiring.model.ok) return wiring.model;
  return input.plan === undefined ? wiring.readSchema() : ok("");
}

/** `schema`: its text, or why it cannot be read, for the person who asked. */
export function openRun(
  input: StartRun,
  wiring: Pick<Wiring, "model" | "tools" | "loop">,
  schema: Result<string, string>,
  now: number,
): Opening {
  const { plan, ...settings } = input;
  const { id, question, caller, mode, grounding, model, limits, approveAboveRows = null } = settings;
  const maxTokensMax = wiring.model.ok ? { maxTokensMax: wiring.model.value.info.maxOutputTokens } : {};
  const loop = wiring.loop === undefined ? {} : { loop: wiring.loop };
  const own = { id, question, caller, mode, grounding, model, tools: [...input.tools], limits, approveAboveRows };
  const fields = { ...own, ...maxTokensMax, ...loop, ...(plan === undefined ? {} : followPlan(plan)) };
  const created = createState(fields, now);
  const started: RunEvent = { type: "run_started", at: now, step: 0, phase: created.phase };
  const opened: Advance = {
    state: { ...created, messages: 1, events: 1 },
    messages: [{ role: "user", text: openingText(question, limits) }],
    events: [started],
  };
  return {
    settings: { ...settings, inheritedNanoUsd: 0 },
    pinned:
      plan === undefined
        ? { system: systemText(schema.ok ? schema.value : ""), tools: specsOf(input, wiring) }
        : { system: "", tools: [], plan },
    advance: schema.ok ? opened : endAtOnce(opened, schema.error, now),
  };
}

/** Whoever wrote the queries had been shown their tables. */
function followPlan(plan: StoredPlan): Pick<AgentState, "again" | "described"> {
  const { runId, answeredAt, steps } = plan;
  const tables = new Set(steps.flatMap(({ args }) => queryTables(sqlOf(args) ?? "")));
  return { again: { runId, answeredAt, changed: null }, described: [...tables] };
}

function specsOf(input: StartRun, { tools }: Pick<Wiring, "tools">): Pinned["tools"] {
  return input.tools.flatMap((name) => {
    const tool = tools.get(name);
    return tool === undefined ? [] : [{ name, description: tool.description, inputSchema: tool.inputSchema }];
  });
}

function endAtOnce(opened: Advance, message: string, now: number): Advance {
  const ended = advance(opened.state, { kind: "broke", message }, now);
  return { ...ended, messages: opened.messages, events: [...opened.events, ...ended.events] };
}
