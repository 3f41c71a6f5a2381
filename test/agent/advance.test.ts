/** The transition function: what each event does, and A1–A5, A7 over random walks with frozen input. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import type { Message } from "../../src/agent/model.ts";
import { type AgentState, stateSchema, type Usage } from "../../src/agent/state.ts";
import { decodeState, encodeState } from "../../src/agent/state-record.ts";
import { publicRunSchema, toPublicRun } from "../../src/agent/view.ts";
import {
  ANY_EVENT,
  deepFreeze,
  EVENT_KINDS,
  endingWith,
  failureWith,
  IN_PHASE,
  modelAttempt,
  START,
  stateWith,
  toolsAttempt,
} from "./states.ts";
import { choices, move, startParts, startWalk, type Walk } from "./walk.ts";

/** Fixed, so that a red test is red again; any other must do as well. */
const SEED = 20_261_130;

/** Walks, and shows every move to `look`. */
function overWalks(look: (before: Walk, moved: NonNullable<ReturnType<typeof move>>) => void, numRuns = 400): void {
  let moves = 0;
  fc.assert(
    fc.property(startParts, choices, (parts, ways) => {
      let walk = startWalk(parts);
      for (const choice of ways) {
        const moved = move(deepFreeze(walk), deepFreeze(choice));
        if (moved === null) continue;
        look(walk, moved);
        walk = moved.walk;
        moves += 1;
      }
    }),
    { numRuns, seed: SEED },
  );
  expect(moves).toBeGreaterThan(numRuns);
}

describe("advance over random walks", () => {
  it("A2: the same state, event and instant give the same result, and none of them is written to", () => {
    overWalks((before, { event, made, walk }) => {
      expect(advance(before.state, deepFreeze(event), walk.now)).toEqual(made);
    });
  });

  it("A1: an ending, once there, stays as it is", () => {
    overWalks((before, { made }) => {
      if (before.state.ending !== null) expect(made.state.ending).toBe(before.state.ending);
      expect(made.state.ending === null).toBe(made.state.phase !== "finish");
    });
  });

  it("A3: no meter falls", () => {
    overWalks((before, { made }) => {
      for (const [meter, value] of Object.entries(made.state.usage)) {
        expect(value).toBeGreaterThanOrEqual(before.state.usage[meter as keyof Usage]);
      }
    });
  });

  it("A4: spent and reserved stay within every limit, rows that the engine read unasked aside", () => {
    overWalks((_before, { made: { state } }) => {
      const { usage, limits, attempt } = state;
      expect(usage.steps).toBeLessThanOrEqual(limits.stepsMax);
      expect(usage.hops).toBeLessThanOrEqual(limits.hopsMax);
      expect(usage.errors).toBeLessThanOrEqual(limits.errorsMax);
      expect(usage.modelCalls).toBeLessThanOrEqual(limits.modelCallsMax);
      const money = usage.costNanoUsd + (attempt?.reservedNanoUsd ?? 0);
      expect(money).toBeLessThanOrEqual(limits.costNanoUsdMax + usage.rowsOverrun);
      const rows = usage.rowsRead + (attempt?.reservedRows ?? 0);
      expect(rows).toBeLessThanOrEqual(limits.rowsReadMax + usage.rowsOverrun);
    });
  });

  it("A5: each call of the history has exactly one result, in order, before the model is asked again", () => {
    overWalks((_before, { walk, event }) => {
      if (event.kind !== "call_reserved") return;
      walk.messages.forEach((message, index) => {
        if (message.role !== "assistant" || message.calls.length === 0) return;
        const next: Message | undefined = walk.messages[index + 1];
        expect(next?.role === "tool" && next.results.map(({ callId }) => callId)).toEqual(
          message.calls.map(({ id }) => id),
        );
      });
    });
  });

  it("A7, A9: only `answered` has an answer, and every other ending is flagged as failed", () => {
    let endings = 0;
    overWalks((_before, { made: { state } }) => {
      if (state.ending === null) return;
      endings += 1;
      const isAnswered = state.ending.outcome === "answered";
      expect(state.ending.answer !== null).toBe(isAnswered);
      expect(state.ending.failed).toBe(!isAnswered);
      if (isAnswered) expect(state.ending.partialAnswer).toBeNull();
    });
    expect(endings).toBeGreaterThan(100);
  });

  it("C6: every state fits its schema, survives being stored, and has a public form that fits its own", () => {
    overWalks((_before, { made: { state }, walk }) => {
      expect(stateSchema.safeParse(state).success).toBe(true);
      expect(decodeState(encodeState(state))).toEqual({ ok: true, value: state });
      const shown = publicRunSchema.safeParse(toPublicRun(state, { queries: [] }, walk.now));
      expect(shown.error?.issues ?? []).toEqual([]);
    }, 200);
  });

  it("rows are numbered without a gap, and the end of a run is told once and last", () => {
    overWalks((before, { made }) => {
      expect(made.state.messages).toBe(before.state.messages + made.messages.length);
      expect(made.state.events).toBe(before.state.events + made.events.length);
      const ends = made.events.map(({ type }) => type).indexOf("run_finished");
      expect(ends).toBe(made.state.ending !== null && before.state.ending === null ? made.events.length - 1 : -1);
    });
  });

  it("time never runs backwards, and a run that goes on is due at some instant", () => {
    overWalks((before, { made: { state }, walk }) => {
      expect(state.touchedAt).toBeGreaterThanOrEqual(before.state.touchedAt);
      const isUsedUp = state.usage.activeMs >= state.limits.wallClockMs;
      // A wait that is over stays written until the next call; nobody is charged for that.
      if (!isUsedUp && state.waiting === null) expect(state.dueAt).toBeGreaterThanOrEqual(walk.now);
      expect(state.usage.activeMs - before.state.usage.activeMs).toBeLessThanOrEqual(walk.now - before.now);
    });
  });
});

describe("advance", () => {
  it.each(EVENT_KINDS)("A1: in finish, %s changes neither ending nor meters (but for a bill that was open)", (kind) => {
    const { finish } = IN_PHASE;
    if (kind === "bill_arrived") {
      const paid = advance({ ...finish, attempt: modelAttempt() }, ANY_EVENT[kind], START + 5);
      expect(paid.state.ending).toEqual(finish.ending);
      expect(paid.state.usage).toEqual({ ...finish.usage, costNanoUsd: 1_000 });
      expect(paid.state.attempt).toBeNull();
      expect(paid.messages.length + paid.events.length).toBe(0);
    } else {
      expect(() => advance(finish, ANY_EVENT[kind], START + 5)).toThrow("illegal event");
    }
  });

  it("the late bill of a round counts its rows, and those beyond the reservation as an overrun", () => {
    const limits = { costNanoUsdMax: 100, rowsReadMax: 100 };
    const attempt = toolsAttempt({ reservedNanoUsd: 60, reservedRows: 60 });
    const ended = stateWith({
      phase: "finish",
      ending: endingWith(),
      attempt,
      limits,
      usage: { costNanoUsd: 40, rowsRead: 40 },
    });
    const { usage } = advance(ended, { kind: "bill_arrived", costNanoUsd: 90 }, START).state;
    expect(usage).toMatchObject({ costNanoUsd: 130, rowsRead: 130, rowsOverrun: 30 });
  });

  it("a reserved call counts a step and a model call; a retry of it counts a model call only", () => {
    const fresh = advance(stateWith(), ANY_EVENT.call_reserved, START).state;
    expect(fresh).toMatchObject({ phase: "thought", waiting: null, usage: { steps: 1, modelCalls: 1 } });
    expect(fresh.attempt).toEqual(modelAttempt());
    const again = advance(stateWith({ failedTries: 1, usage: { steps: 1 } }), ANY_EVENT.call_reserved, START).state;
    expect(again.usage).toMatchObject({ steps: 1, modelCalls: 1 });
  });

  it.each(["last", "critic", "summary"] as const)("the %s call is no step", (purpose) => {
    const state = stateWith({ concluding: purpose === "last" ? "max_steps" : null });
    const made = advance(state, { kind: "call_reserved", attempt: modelAttempt({ purpose }) }, START);
    expect(made.state.usage).toMatchObject({ steps: 0, modelCalls: 1 });
    expect(made.state.critic).toBe(purpose === "critic" ? "used" : "kept");
    expect(made.state.cutSummarised).toBe(purpose === "summary");
    expect(made.events).toMatchObject([{ type: "step_started", purpose, reservedNanoUsd: 100_000_000 }]);
  });

  it("L3: a call may last up to the deadline and not one millisecond longer", () => {
    const ending = (abortAt: number) =>
      advance(stateWith(), { kind: "call_reserved", attempt: modelAttempt({ abortAt }) }, START);
    expect(() => ending(START + 300_000)).not.toThrow();
    expect(() => ending(START + 300_001)).toThrow("L3");
  });

  it("a lost attempt keeps its reservation as spent, money and rows alike", () => {
    const made = advance(
      stateWith({
        phase: "action",
        attempt: toolsAttempt({ reservedNanoUsd: 70, reservedRows: 70 }),
        usage: { rowsRead: 5 },
      }),
      ANY_EVENT.attempt_lost,
      START,
    );
    expect(made.state).toMatchObject({ attempt: null, failedTries: 1, usage: { costNanoUsd: 70, rowsRead: 75 } });
    expect(made.events).toMatchObject([{ type: "attempt_lost", keptNanoUsd: 70 }]);
  });

  it.each([
    ["step", 1],
    ["last", 1],
    ["critic", 0],
    ["summary", 0],
  ] as const)("the loss of a %s call counts %s failed tries of the step", (purpose, failedTries) => {
    const state = stateWith({ attempt: modelAttempt({ purpose }), concluding: purpose === "last" ? "budget" : null });
    expect(advance(state, ANY_EVENT.attempt_lost, START).state.failedTries).toBe(failedTries);
  });

  it("hops are counted when a round is reserved, once, though it runs again after a crash", () => {
    const first = advance(
      stateWith({ phase: "action" }),
      { kind: "tools_reserved", attempt: toolsAttempt(), hops: 3 },
      START,
    );
    expect(first.state).toMatchObject({ roundHops: 3, usage: { hops: 3 } });
    const lost = advance(first.state, ANY_EVENT.attempt_lost, START);
    const again = advance(lost.state, { kind: "tools_reserved", attempt: toolsAttempt(), hops: 3 }, START);
    expect(again.state).toMatchObject({ roundHops: 3, usage: { hops: 3 } });
  });

  it("C26: a failure with a time to try again waits; without one the run ends, charged for what was billed", () => {
    const asking = IN_PHASE.thought;
    const waits = advance(asking, { ...ANY_EVENT.model_failed, costNanoUsd: 9 }, START);
    expect(waits.state).toMatchObject({
      phase: "thought",
      attempt: null,
      failedTries: 1,
      waiting: { kind: "retry", until: START + 500, code: "overloaded" },
      usage: { costNanoUsd: 9 },
    });
    expect(waits.events.map(({ type }) => type)).toEqual(["model_failed", "retry_scheduled"]);
    expect(waits.events[1]).toMatchObject({ attempt: 2, until: START + 500 });
    const failure = failureWith({ message: "The key is wrong." });
    const ends = advance(asking, { ...ANY_EVENT.model_failed, failure, retryAt: null }, START);
    expect(ends.state.ending).toMatchObject({
      stopReason: "provider_error",
      message: "The key is wrong.",
      failed: true,
    });
  });

  it.each(["last", "critic", "summary"] as const)(
    "a failed %s call ends nothing: the run does without it",
    (purpose) => {
      const state = stateWith({
        attempt: modelAttempt({ purpose }),
        concluding: purpose === "last" ? "max_steps" : null,
        cutText: purpose === "summary" ? "The ans" : null,
      });
      const made = advance(state, { ...ANY_EVENT.model_failed, retryAt: null }, START);
      expect(made.state).toMatchObject({
        phase: "thought",
        attempt: null,
        ending: null,
        waiting: null,
        failedTries: 0,
      });
    },
  );

  it("B60, B61: repair leaves rows out, then renews; one try stands for the refused request", () => {
    const failed = { ...ANY_EVENT.model_failed, retryAt: null };
    const omitted = advance(IN_PHASE.thought, { ...failed, repair: { kind: "omit", from: 1, to: 3 } }, START);
    const first = omitted.state;
    expect(omitted.events.at(-1)).toMatchObject({ text: "Tier 1 of provider repair: messages 1 to 2 left out." });
    expect(first).toMatchObject({ repairTier: 1, failedTries: 1, omitted: [{ from: 1, to: 3 }], renewalDue: null });
    const asked = { ...first, attempt: modelAttempt() };
    const renewed = advance(asked, { ...failed, repair: { kind: "renew" } }, START);
    expect(renewed.events.at(-1)).toMatchObject({ text: "Tier 2 of provider repair: fresh transcript." });
    expect(renewed.state).toMatchObject({ repairTier: 2, failedTries: 1, renewalDue: "repair", ending: null });
  });

  it("a fresh transcript starts at its opening message; window, rows left out and cycle start anew", () => {
    const call = { signature: "s", result: "r", tool: "t", step: 1, isError: false, ref: null };
    const state = stateWith({
      phase: "observation",
      messages: 7,
      omitted: [{ from: 1, to: 3 }],
      recent: [call],
      rung: 2,
      windowTokens: 99,
      renewalDue: "window",
      usage: { steps: 3 },
    });
    const made = advance(state, ANY_EVENT.transcript_renewed, START);
    expect(made.messages).toEqual([{ role: "user", text: "It goes on." }]);
    expect(made.events).toMatchObject([{ type: "recovery", what: "renewed_window" }]);
    expect(made.state).toMatchObject({
      phase: "thought",
      transcriptStart: 7,
      messages: 8,
      omitted: [],
      recent: [],
      rung: 0,
      windowTokens: 0,
      renewalDue: null,
      renewals: 1,
      usage: state.usage,
    });
  });

  it("an extra call that does not fit is done without: no critic, the raw text instead of a summary", () => {
    const noCritic = advance(stateWith({ critic: "due" }), ANY_EVENT.extra_skipped, START);
    expect(noCritic.state.critic).toBe("used");
    expect(noCritic.messages).toEqual([]);
    const raw = advance(stateWith({ cutText: "The ans" }), ANY_EVENT.extra_skipped, START);
    expect(raw.state).toMatchObject({ cutText: null, critic: "kept" });
    expect(raw.messages).toMatchObject([{ role: "user", text: expect.stringContaining("The ans") }]);
  });

  it("a ceiling leads to the last call, and its reason is the reason of the end", () => {
    const state = stateWith({
      phase: "observation",
      failedTries: 2,
      waiting: { kind: "retry", until: START, code: "x" },
    });
    const reached = advance(state, ANY_EVENT.ceiling_reached, START);
    expect(reached.events).toMatchObject([{ type: "ceiling_reached", reason: "max_steps" }]);
    const stopped = reached.state;
    expect(stopped).toMatchObject({ phase: "thought", concluding: "max_steps", failedTries: 0, waiting: null });
    const { ending } = advance(stopped, ANY_EVENT.concluded, START).state;
    expect(ending).toMatchObject({ stopReason: "max_steps", partialAnswer: "So far.", answer: null, failed: true });
  });

  it.each([
    ["cancelled", "cancelled", "cancelled"],
    ["expired", "stopped", "expired"],
    ["broke", "failed", "error"],
  ] as const)("%s ends the run at once as %s", (kind, outcome, stopReason) => {
    for (const phase of ["thought", "action", "observation"] as const) {
      const { ending, attempt } = advance(IN_PHASE[phase], ANY_EVENT[kind], START + 3).state;
      expect(ending).toMatchObject({ at: START + 3, outcome, stopReason, failed: true, answer: null });
      // What is open stays reserved until its bill arrives.
      expect(attempt).toEqual(IN_PHASE[phase].attempt);
    }
  });
});

describe("a run that broke", () => {
  it("L4: says what broke, in the words that it was given", () => {
    expect(advance(stateWith(), ANY_EVENT.broke, START).state.ending?.message).toBe("It broke.");
  });
});

describe("the clock of a run", () => {
  const due = (parts: Parameters<typeof stateWith>[0], event = ANY_EVENT.ceiling_reached, now = START + 100) =>
    advance(stateWith(parts), event, now).state;

  it("counts the time since the last touch, up to the instant that somebody was due", () => {
    const at = (now: number) => due({ touchedAt: START, dueAt: START + 2_000 }, ANY_EVENT.ceiling_reached, now);
    expect(at(START + 100)).toMatchObject({ touchedAt: START + 100, usage: { activeMs: 100 } });
    expect(at(START + 9_000)).toMatchObject({ touchedAt: START + 9_000, usage: { activeMs: 2_000 } });
    expect(at(START - 50)).toMatchObject({ touchedAt: START, usage: { activeMs: 0 } });
  });

  it("is due two seconds after it was touched, after its attempt must end, or after its wait", () => {
    expect(due({})).toMatchObject({ dueAt: START + 2_100 });
    const reserved = advance(stateWith(), ANY_EVENT.call_reserved, START).state;
    expect(reserved.dueAt).toBe(START + 60_000 + 2_000);
    const waiting = advance(IN_PHASE.thought, ANY_EVENT.model_failed, START).state;
    expect(waiting.dueAt).toBe(START + 500 + 2_000);
  });

  it("a manual run is due at its deadline: a person may take the time that the run has", () => {
    expect(due({ mode: "manual" }).dueAt).toBe(START + 300_000);
  });

  it("a finished run is due no longer", () => {
    expect(advance(stateWith(), ANY_EVENT.cancelled, START + 40).state.dueAt).toBe(START + 40);
    const paid: AgentState = stateWith({
      phase: "finish",
      ending: endingWith(),
      attempt: modelAttempt(),
      dueAt: START,
    });
    expect(advance(paid, ANY_EVENT.bill_arrived, START + 500).state.usage.activeMs).toBe(0);
  });
});

describe("what is counted without a bill", () => {
  const asking = IN_PHASE.thought;

  it("a lost call, and a failed one that may have been billed, at all that was held; a bill is none of it", () => {
    const held = asking.attempt?.reservedNanoUsd ?? 0;
    const lost = advance(asking, ANY_EVENT.attempt_lost, START).state;
    expect([lost.usage.costNanoUsd, lost.unbilledNanoUsd]).toEqual([held, held]);
    const failed = { ...ANY_EVENT.model_failed, costNanoUsd: held };
    expect(advance(asking, failed, START).state.unbilledNanoUsd).toBe(held);
    expect(advance(asking, ANY_EVENT.model_failed, START).state.unbilledNanoUsd).toBe(0);
    const replied = advance(asking, ANY_EVENT.model_replied, START).state;
    expect(replied.usage.costNanoUsd).toBeGreaterThan(0);
    expect(replied.unbilledNanoUsd).toBe(0);
  });

  it("a bill after the end is one, unless it is all that was held", () => {
    const ended = stateWith({ phase: "finish", ending: endingWith(), attempt: modelAttempt() });
    const bill = (costNanoUsd: number) => advance(ended, { kind: "bill_arrived", costNanoUsd }, START).state;
    expect(bill(7)).toMatchObject({ usage: { costNanoUsd: 7 }, unbilledNanoUsd: 0 });
    const held = modelAttempt().reservedNanoUsd;
    expect(bill(held)).toMatchObject({ usage: { costNanoUsd: held }, unbilledNanoUsd: held });
  });
});
