import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Advance } from "../../src/agent/advance.ts";
import type { Message } from "../../src/agent/model.ts";
import type { RunEvent } from "../../src/agent/run-event.ts";
import type { Cell, StoredResult } from "../../src/agent/tool.ts";
import { addTexts, decodeBody, joinTexts, NO_TEXTS, toHead } from "../../src/durable/step-body.ts";
import { toPage } from "../../src/tools/rows.ts";
import { stateWith } from "../agent/states.ts";

const SQL = "SELECT name, n FROM t";

function resultOf(rows: readonly (readonly Cell[])[], parts: Partial<StoredResult> = {}): StoredResult {
  return {
    ref: "r1",
    sha256: "f".repeat(64),
    sql: SQL,
    columns: ["name", "n"],
    rows,
    totalRows: rows.length,
    truncated: false,
    ...parts,
  };
}

function reply(sql: string): Message {
  const input = { sql };
  return {
    role: "assistant",
    content: [{ type: "tool_use", id: "c1", name: "q", input }],
    text: "",
    calls: [{ id: "c1", name: "q", input }],
  };
}

function observed(result: StoredResult): Message {
  const content = JSON.stringify({
    status: "success",
    summary: "",
    data: toPage(result, 1, 50),
    next_actions: [],
    artifacts: [],
  });
  return { role: "tool", results: [{ callId: "c1", content, isError: false }] };
}

function advanceOf(messages: readonly Message[], events: readonly RunEvent[] = []): Advance {
  return { state: stateWith(), messages, events };
}

/** A step in two saves, the reply first. */
function stepOf(sql: string, result: StoredResult): string {
  const asked = addTexts(NO_TEXTS, advanceOf([reply(sql)]), []);
  return joinTexts(addTexts(asked, advanceOf([observed(result)]), [result]));
}

const cell = fc.oneof(fc.string(), fc.string({ minLength: 400, maxLength: 700 }), fc.integer(), fc.constant(null));

describe("what a step has added", () => {
  it("comes back as it was, whatever the rows are and however much of them was shown", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell), { maxLength: 60 }),
        fc.boolean(),
        fc.boolean(),
        (rows, truncated, isOther) => {
          const result = resultOf(rows, { truncated, totalRows: truncated ? null : rows.length });
          const sql = isOther ? `${SQL} -- another` : SQL;
          const body = decodeBody(stepOf(sql, result));
          expect(body?.messages).toEqual([reply(sql), observed(result)]);
          expect(body?.results).toEqual([{ head: toHead(result), rows }]);
        },
      ),
    );
  });

  it("holds a result that was shown whole once, and its SQL once", () => {
    const text = stepOf(SQL, resultOf([["only here", 1]]));
    expect(text.split("only here")).toHaveLength(2);
    expect(text.split(SQL)).toHaveLength(2);
  });

  it("holds the time and place of an event where they differ from those of the one before", () => {
    const events: RunEvent[] = [
      { type: "run_started", at: 1, step: 0, phase: "thought" },
      { type: "step_finished", at: 1, step: 1, phase: "thought" },
      { type: "step_finished", at: 2, step: 1, phase: "observation" },
    ];
    const [first, ...rest] = events;
    const texts = addTexts(
      addTexts(NO_TEXTS, advanceOf([], first === undefined ? [] : [first]), []),
      advanceOf([], rest),
      [],
    );
    expect(texts.events.slice(1)).toEqual([
      '{"step":1,"type":"step_finished"}',
      '{"at":2,"phase":"observation","type":"step_finished"}',
    ]);
    expect(decodeBody(joinTexts(texts))?.events).toEqual(events);
  });

  it("C52: is null when any of it is torn", () => {
    const whole = JSON.parse(stepOf(SQL, resultOf([["a", 1]])));
    expect(decodeBody(JSON.stringify(whole))).not.toBeNull();
    const broken = [
      null,
      "",
      "{}",
      JSON.stringify({ ...whole, messages: [{}] }),
      JSON.stringify({ ...whole, events: [{ type: "step_finished" }] }),
      JSON.stringify({ ...whole, results: ["x"] }),
      JSON.stringify({ ...whole, results: [{ ref: "r1", sha256: "f", shown: 3 }] }),
      JSON.stringify({ ...whole, messages: whole.messages.slice(1) }),
    ];
    for (const text of broken) expect(decodeBody(text), String(text)).toBeNull();
  });
});
