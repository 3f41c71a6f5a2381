import { describe, expect, it } from "vitest";
import { nextEvent } from "../../src/agent/replay-inputs.ts";
import type { RecordedRun } from "../../src/agent/replay-record.ts";
import type { PublicRunEvent } from "../../src/agent/run-event.ts";
import { endingWith, modelAttempt, stateWith } from "./states.ts";

const at = "2026-11-30T12:00:00.000Z";
const NOW = Date.parse(at);

function record(
  events: readonly PublicRunEvent[],
  last = stateWith({ phase: "finish", ending: endingWith({}) }),
): RecordedRun {
  return { states: [last], messages: [], events };
}

describe("the next input of a replay", () => {
  it("a started call is a reservation of that much at that time", () => {
    const told = { type: "step_started", at, step: 1, purpose: "step", reserved_usd: 0.25 };
    expect(nextEvent(record([told]), stateWith({ events: 0 }))).toMatchObject({
      at: NOW,
      event: {
        kind: "call_reserved",
        attempt: { kind: "model", purpose: "step", startedAt: NOW, reservedNanoUsd: 250_000_000 },
      },
    });
  });

  it("an extra call that was not made is skipped before the step that follows", () => {
    const told = { type: "step_started", at, step: 1, purpose: "step", reserved_usd: 0 };
    const state = stateWith({ events: 0, critic: "due", rung: 3 });
    expect(nextEvent(record([told]), state).event).toEqual({ kind: "extra_skipped" });
  });

  it("a ceiling that is told while an extra call was due came after it was skipped, unless it was never skipped", () => {
    const told = { type: "ceiling_reached", at, step: 1, reason: "budget" };
    const state = stateWith({ events: 0, cutText: "So far." });
    const parts = { phase: "finish", ending: endingWith({ stopReason: "budget" }) } as const;
    const kindAt = (cutText: string | null) => nextEvent(record([told], stateWith({ ...parts, cutText })), state).event;
    expect(kindAt(null)).toEqual({ kind: "extra_skipped" });
    const atRest = stateWith({ events: 0, messages: 2, touchedAt: NOW - 20 });
    const states = [atRest, stateWith(parts)];
    expect(nextEvent({ states, messages: [], events: [told] }, state).at).toBe(NOW - 20);
    expect(kindAt("So far.")).toEqual({ kind: "ceiling_reached", reason: "budget" });
  });

  it("a failed call costs what it reserved, unless what was spent later leaves no room for that", () => {
    const failed = { type: "model_failed", at, step: 1, code: "overloaded", status: 529, message: "Busy." };
    const retry = { type: "retry_scheduled", at, step: 1, code: "overloaded", until: at, attempt: 2 };
    const replied = { type: "model_replied", at, step: 1, cost_usd: 0.001, cost_total_usd: 0.001 };
    const state = stateWith({ events: 0, attempt: modelAttempt({ reservedNanoUsd: 5_000_000 }) });
    const costOf = (total: number) =>
      nextEvent(record([failed, retry, { ...replied, cost_total_usd: total }]), state).event;
    expect(costOf(0.001)).toMatchObject({ kind: "model_failed", costNanoUsd: 0, retryAt: NOW });
    expect(costOf(0.006)).toMatchObject({ kind: "model_failed", costNanoUsd: 5_000_000 });
  });

  it("a round that was reserved only after an outage began when the active time that was counted says so", () => {
    const calls = [{ id: "c1", name: "execute_read_only_sql", input: {} }];
    const opening = { role: "user", text: "How many?" } as const;
    const asked = { role: "assistant", text: "", calls, content: [] } as const;
    const answered = { role: "tool", results: [] } as const;
    const observed = { type: "tool_observed", at, step: 1, duration_ms: 5 };
    const before = { events: 0, messages: 2, phase: "action", touchedAt: NOW - 10_000, dueAt: NOW - 8_000 } as const;
    const beganAt = (activeMs: number, state = stateWith({ ...before, usage: { activeMs: 100 } })) => {
      const after = stateWith({ messages: 3, touchedAt: NOW + 3, usage: { activeMs } });
      return nextEvent({ states: [after], messages: [opening, asked, answered], events: [observed] }, state).at;
    };
    // 100 before, 2,000 until a driver was due, 40 from the reservation to the end, 3 until the next record.
    expect(beganAt(2_143)).toBe(NOW - 40);
    expect(beganAt(0)).toBe(NOW);
    expect(beganAt(2_143, stateWith({ ...before, dueAt: NOW + 1 }))).toBe(NOW - 5);
  });

  it("after the last event, what is missing from the cost is the bill", () => {
    const last = stateWith({ phase: "finish", ending: endingWith({}), usage: { costNanoUsd: 9_000 } });
    const state = stateWith({ events: 0, attempt: modelAttempt({}), usage: { costNanoUsd: 2_000 } });
    expect(nextEvent(record([], last), state).event).toEqual({ kind: "bill_arrived", costNanoUsd: 7_000 });
  });

  it("a reply that was told cut is what became the run's ending", () => {
    const whole = "é".repeat(7_000);
    const told = { type: "model_replied", at, step: 1, text: ` ${whole.slice(0, 2_999)}`, finish: "end_turn" };
    const ending = endingWith({ partialAnswer: whole });
    const state = stateWith({ events: 0, concluding: "max_steps", attempt: modelAttempt({ purpose: "last" }) });
    const textOf = (text: string) =>
      nextEvent(record([{ ...told, text }], stateWith({ phase: "finish", ending })), state).event;
    expect(textOf(told.text)).toMatchObject({ reply: { text: ` ${whole}` } });
    expect(textOf("é")).toMatchObject({ reply: { text: "é" } });
  });

  it("an event that cannot stand alone is a broken record", () => {
    expect(() => nextEvent(record([{ type: "step_finished", at, step: 1 }]), stateWith({ events: 0 }))).toThrow(
      /stands alone/,
    );
  });
});
