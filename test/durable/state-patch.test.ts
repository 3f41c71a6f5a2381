import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentState } from "../../src/agent/state.ts";
import { applyPatch, NO_STATE, patchOf, type StateRecord } from "../../src/durable/state-patch.ts";
import { endingWith, modelAttempt, stateWith } from "../agent/states.ts";

type Call = AgentState["recent"][number];

function call(step: number): Call {
  return { signature: `s${step}`, result: `r${step}`, tool: "q", step, isError: false, ref: `r${step}` };
}

const base = stateWith();

/** Changes of the kinds that transitions make. */
const change: fc.Arbitrary<(state: AgentState) => AgentState> = fc.oneof(
  fc.nat(9).map((steps) => (state: AgentState) => {
    return { ...state, usage: { ...state.usage, steps: state.usage.steps + steps } };
  }),
  fc.integer({ min: 1, max: 4 }).map((count) => (state: AgentState) => {
    const from = (state.recent.at(-1)?.step ?? 0) + 1;
    const added = Array.from({ length: count }, (_, index) => call(from + index));
    return { ...state, recent: [...state.recent, ...added].slice(-12) };
  }),
  fc.constant((state: AgentState) => ({ ...state, recent: [] })),
  fc.constant((state: AgentState) => ({ ...state, attempt: state.attempt === null ? modelAttempt() : null })),
  fc.string().map((note) => (state: AgentState) => ({ ...state, memo: { ...state.memo, notes: [note] } })),
  fc.constant((state: AgentState) => ({ ...state, phase: "finish" as const, ending: endingWith() })),
  fc.string().map((cutText) => (state: AgentState) => ({ ...state, cutText })),
);

describe("the difference between two states", () => {
  it("leads from any state to the one after it, however many lie between", () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), fc.boolean(), (changes, isFresh) => {
        let state: AgentState = base;
        let record: StateRecord | null = applyPatch(null, patchOf(NO_STATE, base));
        let told: StateRecord = base;
        for (const each of changes) {
          const next = each(state);
          record = applyPatch(record, patchOf(told, next));
          expect(record).toEqual(next);
          state = next;
          // As it is in memory, or as a fresh object has read it: equal values, other objects.
          told = isFresh ? JSON.parse(JSON.stringify(next)) : next;
        }
      }),
    );
  });

  it("does not grow with the window of calls, nor with what stays as it is", () => {
    const calls = Array.from({ length: 12 }, (_, index) => call(index));
    const before = { ...base, recent: calls, memo: { ...base.memo, notes: ["long ".repeat(500)] } };
    const after = { ...before, recent: [...calls.slice(1), call(12)], windowTokens: 7 };
    const text = patchOf(before, after);
    expect(JSON.parse(text)).toEqual({ set: { windowTokens: 7 }, recent: { kept: 11, added: [call(12)] } });
  });

  it("says nothing where nothing changed", () => {
    expect(patchOf(base, base)).toBe('{"set":{}}');
  });

  it("is told whole from a record of another version, so that no field of the old one is mixed in", () => {
    const older = { ...base, version: 0, gone: "x" };
    expect(applyPatch(older, patchOf(older, base))).toEqual(base);
  });

  it("C52: is null where it is torn, or where what it differs from is not known", () => {
    const next = { ...base, windowTokens: 7 };
    for (const text of ["", "{", "[]", '{"set":1}', '{"set":{},"recent":{"kept":-1,"added":[]}}']) {
      expect(applyPatch(base, text)).toBeNull();
    }
    expect(applyPatch(null, patchOf(base, next))).toBeNull();
    expect(applyPatch(null, patchOf(NO_STATE, next))).toEqual(next);
  });
});
