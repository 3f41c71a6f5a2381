/**
 * The first checkpoint of a run: what is pinned for its life (system text with the schema, tools), the opening message,
 * the first event. Pinned texts do not change with a deploy, nor with the schema (mechanism: prefix stays valid).
 *
 * Owns: that a schema which cannot be read becomes an ending that says so, not a hang and not a run without a schema.
 */
import { type Advance, advance } from "../agent/advance.ts";
import { openingText, systemText } from "../agent/prompt.ts";
import type { RunEvent } from "../agent/run-event.ts";
import { createState } from "../agent/state.ts";
import type { Result } from "../lib/result.ts";
import type { StartRun } from "./contract.ts";
import { createRun, type Opening } from "./journal.ts";
import type { Wiring } from "./wiring.ts";

/** Writes the first checkpoint of a new run, which is read from the database as `wiring` reaches it. */
export async function beginRun(storage: DurableObjectStorage, input: StartRun, wiring: Wiring): Promise<void> {
  const schema = wiring.model.ok ? await wiring.readSchema() : wiring.model;
  createRun(storage, openRun(input, wiring, schema, Date.now()), Date.now());
}

/** `schema`: its text, or why it cannot be read, for the person who asked. */
export function openRun(
  input: StartRun,
  wiring: Pick<Wiring, "model" | "tools" | "loop">,
  schema: Result<string, string>,
  now: number,
): Opening {
  const { id, question, caller, mode, grounding, model, limits } = input;
  const maxTokensMax = wiring.model.ok ? { maxTokensMax: wiring.model.value.info.maxOutputTokens } : {};
  const loop = wiring.loop === undefined ? {} : { loop: wiring.loop };
  const own = { id, question, caller, mode, grounding, model, tools: [...input.tools], limits };
  const fields = { ...own, ...maxTokensMax, ...loop };
  const created = createState(fields, now);
  const started: RunEvent = { type: "run_started", at: now, step: 0, phase: created.phase };
  const specs = input.tools.flatMap((name) => {
    const tool = wiring.tools.get(name);
    return tool === undefined ? [] : [{ name, description: tool.description, inputSchema: tool.inputSchema }];
  });
  const opened: Advance = {
    state: { ...created, messages: 1, events: 1 },
    messages: [{ role: "user", text: openingText(question, limits) }],
    events: [started],
  };
  return {
    settings: { ...input, inheritedNanoUsd: 0 },
    pinned: { system: systemText(schema.ok ? schema.value : ""), tools: specs },
    advance: schema.ok ? opened : endAtOnce(opened, schema.error, now),
  };
}

function endAtOnce(opened: Advance, message: string, now: number): Advance {
  const ended = advance(opened.state, { kind: "broke", message }, now);
  return { ...ended, messages: opened.messages, events: [...opened.events, ...ended.events] };
}
