/**
 * The phase × event table, exhaustively (A20). The table of the test is written out on its own: a pair that the code
 * allows and the test does not, or the other way round, is red.
 */
import { describe, expect, it } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import { type Event, type EventKind, TRANSITIONS } from "../../src/agent/event.ts";
import type { AgentState, Phase } from "../../src/agent/state.ts";
import { decodeState, encodeState } from "../../src/agent/state-record.ts";
import { runStep } from "../../src/agent/step.ts";
import { functionModel, saying } from "../fakes/function-model.ts";
import { createMemoryRun } from "../fakes/memory-run.ts";
import {
  AGAIN,
  ANY_EVENT,
  EVENT_KINDS,
  endingWith,
  failureWith,
  IN_PHASE,
  modelAttempt,
  NO_EVIDENCE,
  outcomeWith,
  PHASES,
  replied,
  START,
  stateWith,
  toolsAttempt,
  waitingForWord,
  waitingForYes,
} from "./states.ts";

type Witness = readonly [state: AgentState, event: Event];
type Row = { readonly [K in EventKind]?: { readonly [P in Phase]?: Witness } };

const idle = stateWith();
const asking = IN_PHASE.thought;
const acting = IN_PHASE.action;
const observed = IN_PHASE.observation;
const open: Row = {
  cancelled: { finish: [idle, ANY_EVENT.cancelled] },
  expired: { finish: [idle, ANY_EVENT.expired] },
  broke: { finish: [idle, ANY_EVENT.broke] },
};
const from = (state: AgentState): Row => ({
  cancelled: { finish: [state, ANY_EVENT.cancelled] },
  expired: { finish: [state, ANY_EVENT.expired] },
  broke: { finish: [state, ANY_EVENT.broke] },
});

/** Every legal pair, and for each phase it may lead to a state and an event that lead there. */
const LEGAL: { readonly [P in Phase]: Row } = {
  thought: {
    ...open,
    call_reserved: { thought: [idle, ANY_EVENT.call_reserved] },
    attempt_lost: { thought: [asking, ANY_EVENT.attempt_lost] },
    model_replied: {
      action: [asking, ANY_EVENT.model_replied],
      thought: [asking, replied({ text: "" }, NO_EVIDENCE, 0)],
      finish: [asking, replied({ text: "347." }, NO_EVIDENCE, 0)],
    },
    model_failed: {
      thought: [asking, ANY_EVENT.model_failed],
      finish: [asking, { ...ANY_EVENT.model_failed, retryAt: null }],
    },
    transcript_renewed: { thought: [idle, ANY_EVENT.transcript_renewed] },
    extra_skipped: { thought: [stateWith({ critic: "due" }), ANY_EVENT.extra_skipped] },
    plan_followed: { action: [stateWith({ again: AGAIN }), ANY_EVENT.plan_followed] },
    ceiling_reached: { thought: [idle, ANY_EVENT.ceiling_reached] },
    concluded: { finish: [stateWith({ concluding: "max_steps" }), ANY_EVENT.concluded] },
  },
  action: {
    ...from(acting),
    approval_asked: { action: [stateWith({ phase: "action" }), ANY_EVENT.approval_asked] },
    question_asked: { action: [stateWith({ phase: "action" }), ANY_EVENT.question_asked] },
    question_answered: { action: [waitingForWord(), ANY_EVENT.question_answered] },
    approval_decided: { action: [waitingForYes(), ANY_EVENT.approval_decided] },
    tools_reserved: { action: [stateWith({ phase: "action" }), ANY_EVENT.tools_reserved] },
    attempt_lost: { action: [acting, ANY_EVENT.attempt_lost] },
    tools_observed: {
      observation: [acting, ANY_EVENT.tools_observed],
      finish: [
        acting,
        {
          kind: "tools_observed",
          outcomes: [
            outcomeWith({ query: null, final: { answer: "347", results: [], citations: [], evidence: NO_EVIDENCE } }),
          ],
          newResults: 0,
        },
      ],
    },
  },
  observation: {
    ...from(observed),
    call_reserved: { thought: [observed, ANY_EVENT.call_reserved] },
    transcript_renewed: { thought: [observed, ANY_EVENT.transcript_renewed] },
    extra_skipped: { thought: [{ ...observed, critic: "due" }, ANY_EVENT.extra_skipped] },
    plan_followed: { action: [{ ...observed, again: AGAIN }, ANY_EVENT.plan_followed] },
    plan_ended: { finish: [{ ...observed, again: AGAIN }, ANY_EVENT.plan_ended] },
    ceiling_reached: { thought: [observed, ANY_EVENT.ceiling_reached] },
  },
  finish: {
    bill_arrived: {
      finish: [
        stateWith({ phase: "finish", ending: endingWith(), attempt: modelAttempt() }),
        { kind: "bill_arrived", costNanoUsd: 7 },
      ],
    },
  },
};

const PAIRS = PHASES.flatMap((phase) => EVENT_KINDS.map((kind) => ({ phase, kind })));
const legal = PAIRS.filter(({ phase, kind }) => LEGAL[phase][kind] !== undefined);
const illegal = PAIRS.filter(({ phase, kind }) => LEGAL[phase][kind] === undefined);

describe("the table of phases and events", () => {
  it("A20: holds exactly the legal pairs, each with the phases it may lead to", () => {
    const written = Object.fromEntries(
      PHASES.map((phase) => [
        phase,
        Object.fromEntries(Object.entries(LEGAL[phase]).map(([kind, ways]) => [kind, Object.keys(ways).sort()])),
      ]),
    );
    const inCode = Object.fromEntries(
      PHASES.map((phase) => [
        phase,
        Object.fromEntries(Object.entries(TRANSITIONS[phase]).map(([kind, phases]) => [kind, [...phases].sort()])),
      ]),
    );
    expect(inCode).toEqual(written);
  });

  it.each(legal)("A20: $kind is legal in $phase, and every listed phase is reached", ({ phase, kind }) => {
    const ways = Object.entries(LEGAL[phase][kind] ?? {});
    expect(ways.length).toBeGreaterThan(0);
    for (const [target, [state, event]] of ways) {
      expect(state.phase).toBe(phase);
      expect(event.kind).toBe(kind);
      expect(advance(state, event, START + 10).state.phase).toBe(target);
    }
  });

  it.each(illegal)("A20: $kind in $phase throws", ({ phase, kind }) => {
    expect(() => advance(IN_PHASE[phase], ANY_EVENT[kind], START + 10)).toThrow(
      `illegal event ${kind} in phase ${phase}`,
    );
  });

  it.each(illegal)("A20: a checkpoint read back in $phase refuses $kind too", ({ phase, kind }) => {
    const decoded = decodeState(encodeState(IN_PHASE[phase]));
    if (!decoded.ok) throw new Error(decoded.error.message);
    expect(() => advance(decoded.value, ANY_EVENT[kind], START + 10)).toThrow("illegal event");
  });

  it("A1: in finish nothing is legal but the bill of a call that was still open", () => {
    expect(Object.keys(TRANSITIONS.finish)).toEqual(["bill_arrived"]);
  });
});

describe("an event that does not fit the state", () => {
  const outcomes = [outcomeWith()];
  it.each<[string, AgentState, Event, RegExp]>([
    ["L2: a second model call", asking, ANY_EVENT.call_reserved, /L2/],
    ["calls of a plan that the run does not follow", idle, ANY_EVENT.plan_followed, /stored plan/],
    ["the end of a plan that the run does not follow", observed, ANY_EVENT.plan_ended, /stored plan/],
    ["L2: a second round", acting, ANY_EVENT.tools_reserved, /L2/],
    ["a reply nobody asked for", idle, ANY_EVENT.model_replied, /open model call/],
    ["a reply to a round of tools", { ...idle, attempt: toolsAttempt() }, ANY_EVENT.model_replied, /open model call/],
    ["a failure nobody asked for", idle, ANY_EVENT.model_failed, /open model call/],
    ["a failure of a round of tools", { ...idle, attempt: toolsAttempt() }, ANY_EVENT.model_failed, /open model call/],
    [
      "A4: a failure dearer than its reservation",
      asking,
      { ...ANY_EVENT.model_failed, costNanoUsd: 100_000_001, retryAt: null },
      /A4/,
    ],
    ["results nobody asked for", stateWith({ phase: "action" }), ANY_EVENT.tools_observed, /open round/],
    ["results for a model call", { ...acting, attempt: modelAttempt() }, ANY_EVENT.tools_observed, /open round/],
    ["the loss of nothing", idle, ANY_EVENT.attempt_lost, /only an open attempt/],
    ["a conclusion without a ceiling", idle, ANY_EVENT.concluded, /after a ceiling/],
    ["a bill without a call", IN_PHASE.finish, ANY_EVENT.bill_arrived, /open attempt/],
    [
      "a last reply without a ceiling",
      { ...idle, attempt: modelAttempt({ purpose: "last" }) },
      replied({ text: "So far." }, NO_EVIDENCE, 0),
      /follows a ceiling/,
    ],
    [
      "a summary of nothing",
      { ...idle, attempt: modelAttempt({ purpose: "summary" }) },
      replied({ text: "Gist." }, NO_EVIDENCE, 0),
      /cut-off text/,
    ],
    ["A4: a reply dearer than its reservation", asking, replied({ text: "347." }, NO_EVIDENCE, 100_000_001), /A4/],
    [
      "A5: two results for one call",
      acting,
      { kind: "tools_observed", outcomes: [...outcomes, ...outcomes], newResults: 0 },
      /A5/,
    ],
    [
      "L3: a call that outlives the deadline",
      idle,
      { kind: "call_reserved", attempt: modelAttempt({ abortAt: START + 300_001 }) },
      /L3/,
    ],
    [
      "A4: a call that passes the budget",
      idle,
      { kind: "call_reserved", attempt: modelAttempt({ reservedNanoUsd: 500_000_001 }) },
      /A4: dollars/,
    ],
    [
      "A4: a round that passes the hops",
      stateWith({ phase: "action", usage: { hops: 7 } }),
      { kind: "tools_reserved", attempt: toolsAttempt(), hops: 2 },
      /A4: hops/,
    ],
    [
      "A3: a cost below nothing",
      { ...asking, usage: { ...asking.usage, costNanoUsd: 5 } },
      { kind: "model_failed", failure: failureWith(), costNanoUsd: -1, retryAt: START + 9, repair: null },
      /A3/,
    ],
  ])("%s throws", (_what, state, event, message) => {
    expect(() => advance(state, event, START + 10)).toThrow(message);
  });

  it("a broken event leaves the state as it was", () => {
    const before = encodeState(asking);
    expect(() => advance(asking, { ...ANY_EVENT.model_replied, costNanoUsd: 1e9 }, START)).toThrow();
    expect(encodeState(asking)).toBe(before);
  });
});

describe("a driver that finds an illegal checkpoint", () => {
  it("A20, L4: throws instead of guessing what comes next", async () => {
    const run = createMemoryRun(functionModel(() => saying("1")));
    const { ports } = run;
    const broken: AgentState = { ...run.state(), phase: "action" };
    const journal = { ...ports.journal, load: () => broken };
    await expect(runStep({ ...ports, journal })).rejects.toThrow("the action phase follows a reply with calls");
    expect(run.calls).toHaveLength(0);
  });
});
