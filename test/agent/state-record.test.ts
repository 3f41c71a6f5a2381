/** The stored record of a run: made, written, read back, refused (C5, C6, C52, A4), and every old one still readable. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import { type AgentState, PHASES, STATE_VERSION } from "../../src/agent/state.ts";
import { decodeState, encodeState } from "../../src/agent/state-record.ts";
import { publicRunSchema, toPublicRun } from "../../src/agent/view.ts";
import { byteLength } from "../../src/lib/bytes.ts";
import { endingWith, IN_PHASE, LIMITS, modelAttempt, START, stateWith, toolsAttempt } from "./states.ts";

const decode = (record: object) => decodeState(JSON.stringify(record));
const fieldOf = (result: ReturnType<typeof decodeState>) =>
  result.ok ? "accepted" : /at "([^"]*)"/.exec(result.error.message)?.[1];

/** What each record of the fixtures was in the middle of. */
const EXPECTED: { readonly [file: string]: Partial<AgentState> | object } = {
  "v1-fresh.json": { phase: "thought", attempt: null, usage: { modelCalls: 0 } },
  "v1-asking.json": { phase: "thought", attempt: { kind: "model", purpose: "step" } },
  "v1-waiting.json": { phase: "thought", waiting: { kind: "retry", code: "overloaded" }, failedTries: 1 },
  "v1-asked.json": {
    phase: "action",
    waiting: { kind: "approval" },
    approval: { decision: null, calls: [{ rowsRead: 10 }] },
  },
  "v1-declined.json": {
    phase: "action",
    waiting: null,
    approval: { decision: "declined", note: "Nur 2025, bitte. 😀" },
  },
  "v1-acting.json": { phase: "action", attempt: { kind: "tools" }, roundHops: 2, usage: { hops: 2 } },
  "v1-observed.json": { phase: "observation", memo: { brainstormed: true }, consecutiveErrors: 1, results: 1 },
  "v1-cut.json": { phase: "thought", maxTokens: 16_384, cutSummarised: false },
  "v1-repairing.json": { phase: "thought", repairTier: 1, omitted: [{ from: 1, to: 3 }] },
  "v1-concluding.json": { phase: "thought", concluding: "max_hops", ending: null },
  "v1-answered.json": { phase: "finish", ending: { outcome: "answered", grounded: true, unsupported: ["12"] } },
  "v1-stopped.json": { phase: "finish", ending: { outcome: "stopped", stopReason: "max_hops", failed: true } },
  "v1-cancelled-mid-call.json": { phase: "finish", attempt: { kind: "model" }, ending: { outcome: "cancelled" } },
  "v1-failed.json": { phase: "finish", ending: { outcome: "failed", stopReason: "error" } },
  "v1-carried.json": { parent: { runId: "run_1", step: 1, kind: "continue" }, phase: "observation" },
};

describe("encodeState and decodeState", () => {
  it.each(PHASES)("C6: a state in %s survives the round trip, every field of it", (phase) => {
    expect(decodeState(encodeState(IN_PHASE[phase]))).toEqual({ ok: true, value: IN_PHASE[phase] });
  });

  it("C6: the record is one line, small beside its texts", () => {
    const text = encodeState(stateWith());
    expect(text).not.toContain("\n");
    expect(byteLength(text)).toBeLessThan(2_000);
  });

  it("any text survives: quotes, line ends, other scripts, half a surrogate pair", () => {
    const question = '"\n\u0000 いくつ? 😀 \ud83d </schema>';
    expect(decodeState(encodeState(stateWith({ question })))).toMatchObject({ ok: true, value: { question } });
  });

  it("a large record is read as well as a small one", () => {
    const state = stateWith({ question: "How many? ".repeat(300_000) });
    expect(decodeState(encodeState(state))).toEqual({ ok: true, value: state });
  });
});

describe("a record that cannot be read", () => {
  it.each([
    ["nothing", ""],
    ["half a record", encodeState(stateWith()).slice(0, 300)],
    ["no JSON", "state"],
    ["megabytes of something else", "x".repeat(3_000_000)],
    ["deep nesting", "[".repeat(100_000)],
  ])("C52: %s is corrupt, never a fresh start", (_what, text) => {
    expect(decodeState(text)).toEqual({
      ok: false,
      error: { kind: "corrupt", message: "The stored state is not JSON." },
    });
  });

  it.each([
    ["null"],
    ["[]"],
    ["5"],
    ['"text"'],
    ["{}"],
    ['{"version":null}'],
    ['{"version":"1"}'],
    ['{"version":0}'],
    ['{"version":1.5}'],
  ])("C52: %s has no version", (text) => {
    expect(decodeState(text)).toEqual({
      ok: false,
      error: { kind: "corrupt", message: "The stored state has no version." },
    });
  });

  it("C5: a version from the future is named, not guessed at", () => {
    expect(decode({ ...stateWith(), version: STATE_VERSION + 1 })).toEqual({
      ok: false,
      error: {
        kind: "unknown_version",
        message: `The stored state has version ${STATE_VERSION + 1}; this release knows versions up to ${STATE_VERSION}.`,
      },
    });
  });

  it("C52: with any one field missing, it says which", () => {
    const state = stateWith();
    // Added after the first stored records, which go on without them.
    const added = [
      "again",
      "described",
      "bookmark",
      "failing",
      "lastFailure",
      "approval",
      "approveAboveRows",
      "inquiry",
      "unbilledNanoUsd",
    ];
    const fields = Object.keys(state).filter((field) => field !== "version" && !added.includes(field));
    for (const field of added) expect(decode({ ...state, [field]: undefined }).ok).toBe(true);
    const told = fields.map((field) => fieldOf(decode({ ...state, [field]: undefined })));
    expect(told).toEqual(fields);
    expect(fields.length).toBeGreaterThan(40);
  });

  it("C52: so it does for every meter and every limit", () => {
    const state = stateWith();
    for (const group of ["usage", "limits", "loop", "memo"] as const) {
      const fields = Object.keys(state[group]);
      const told = fields.map((field) =>
        fieldOf(decode({ ...state, [group]: { ...state[group], [field]: undefined } })),
      );
      expect(told).toEqual(fields.map((field) => `${group}.${field}`));
    }
  });

  it.each<[string, object]>([
    ["phase", { phase: "waiting" }],
    ["phase", { phase: "THOUGHT" }],
    ["concluding", { concluding: "tired" }],
    ["grounding", { grounding: "maybe" }],
    ["critic", { critic: "soon" }],
    ["usage.costNanoUsd", { usage: { ...stateWith().usage, costNanoUsd: -1 } }],
    ["usage.costNanoUsd", { usage: { ...stateWith().usage, costNanoUsd: 0.5 } }],
    ["usage.hops", { usage: { ...stateWith().usage, hops: "3" } }],
    ["limits.stepsMax", { limits: { ...LIMITS, stepsMax: 0 } }],
    ["attempt.kind", { attempt: { ...modelAttempt(), kind: "magic" } }],
    ["attempt.reservedNanoUsd", { attempt: { ...modelAttempt(), reservedNanoUsd: -1 } }],
    ["waiting.kind", { waiting: { kind: "tea", until: START } }],
    ["id", { id: "" }],
    ["", { surprise: 1 }],
    ["usage", { usage: { ...stateWith().usage, tips: 1 } }],
  ])("A4, C52: a wrong %s is refused: %j", (field, parts) => {
    const decoded = decode({ ...stateWith(), ...parts });
    expect(fieldOf(decoded)).toBe(field);
    expect(!decoded.ok && decoded.error.kind).toBe("corrupt");
  });

  it("A7: an ending that is not `answered` and has an answer is refused", () => {
    const finished = (ending: object) => decode({ ...IN_PHASE.finish, ending });
    expect(finished(endingWith()).ok).toBe(true);
    expect(fieldOf(finished(endingWith({ outcome: "stopped", answer: "347" })))).toBe("ending");
    expect(finished(endingWith({ outcome: "stopped", answer: null })).ok).toBe(true);
    expect(fieldOf(finished({ ...endingWith(), stopReason: "because" }))).toBe("ending.stopReason");
    expect(fieldOf(finished({ ...endingWith(), outcome: "won" }))).toBe("ending.outcome");
  });

  it("C5: an ending from before there were pictures has none", () => {
    const { chart, ...before } = endingWith({ chart: { kind: "bar", result: "r1" } });
    const read = decode({ ...IN_PHASE.finish, ending: before });
    expect(read.ok && read.value.ending?.chart).toBeNull();
    const kept = decode({ ...IN_PHASE.finish, ending: { ...before, chart } });
    expect(kept.ok && kept.value.ending?.chart).toEqual({ kind: "bar", result: "r1" });
  });

  it.each<[string, Partial<AgentState>]>([
    ["finished without an ending", { phase: "finish" }],
    ["an ending in another phase", { phase: "observation", ending: endingWith() }],
    ["tools running while the model is asked", { phase: "thought", attempt: toolsAttempt() }],
    ["a model call while tools run", { phase: "action", attempt: modelAttempt() }],
    ["tools running after they were observed", { phase: "observation", attempt: toolsAttempt() }],
  ])("A20: %s was written by no transition, and is refused", (_what, parts) => {
    expect(fieldOf(decode({ ...stateWith(), ...parts }))).toBe("phase");
  });

  it("the message tells where, and never what was in there", () => {
    const decoded = decode({ ...stateWith(), question: 5, caller: "secret-caller" });
    expect(!decoded.ok && decoded.error.message).toBe('The stored state does not fit its schema at "question".');
  });
});

const FIXTURES = new URL("../fixtures/state/", import.meta.url);

describe("stored states of every version", () => {
  const files = readdirSync(FIXTURES).filter((name) => name.endsWith(".json"));
  const read = (name: string) => readFileSync(new URL(name, FIXTURES), "utf8");
  const decoded = (name: string): AgentState => {
    const result = decodeState(read(name));
    if (!result.ok) throw new Error(`${name}: ${result.error.message}`);
    return result.value;
  };

  it("are all there: none was removed, none has gone unchecked", () => {
    expect(files.sort()).toEqual(Object.keys(EXPECTED).sort());
    const versions = new Set(files.map((name) => Number(/^v(\d+)-/.exec(name)?.[1])));
    expect([...versions]).toEqual(Array.from({ length: STATE_VERSION }, (_, index) => index + 1));
  });

  it.each(Object.keys(EXPECTED))("C5: %s is read, with all that it held", (name) => {
    const state = decoded(name);
    expect(state).toMatchObject(EXPECTED[name] ?? {});
    // Of the current version, every stored field must come back as it was; newer ones may be added.
    if (name.startsWith(`v${STATE_VERSION}-`)) expect(state).toMatchObject(JSON.parse(read(name)));
  });

  it.each(Object.keys(EXPECTED))("%s can be shown, and the run in it can still be moved or is over", (name) => {
    const state = decoded(name);
    expect(publicRunSchema.safeParse(toPublicRun(state, { queries: [] }, state.touchedAt)).success).toBe(true);
    if (state.ending !== null) {
      expect(() => advance(state, { kind: "cancelled", partial: null }, state.touchedAt)).toThrow("illegal event");
    } else {
      const { ending } = advance(state, { kind: "cancelled", partial: null }, state.touchedAt).state;
      expect(ending?.outcome).toBe("cancelled");
    }
  });
});
