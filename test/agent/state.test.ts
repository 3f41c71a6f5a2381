import { describe, expect, it } from "vitest";
import { DEFAULT_LOOP } from "../../src/agent/cycles.ts";
import {
  createState,
  EXPIRY_MS,
  IDLE_MS_MAX,
  OUTCOMES,
  PHASES,
  STATE_VERSION,
  STOP_REASONS,
  stateSchema,
} from "../../src/agent/state.ts";
import { LIMITS, START } from "./states.ts";

const RUN = {
  id: "run_1",
  question: "How many?",
  caller: "anna",
  mode: "auto" as const,
  grounding: "report" as const,
  model: "m",
  tools: [],
  limits: LIMITS,
};

describe("createState", () => {
  it("is the first checkpoint: nothing spent, nothing open, in the thought phase", () => {
    const state = createState(RUN, START);
    expect(state).toMatchObject({ ...RUN, version: STATE_VERSION, phase: "thought", attempt: null, ending: null });
    expect(Object.values(state.usage).every((value) => value === 0)).toBe(true);
    expect(stateSchema.safeParse(state).success).toBe(true);
  });

  it("is over after a day, whatever happens, and due at once", () => {
    const state = createState(RUN, START);
    expect(state).toMatchObject({ createdAt: START, touchedAt: START, expiresAt: START + EXPIRY_MS });
    expect(EXPIRY_MS).toBe(86_400_000);
    expect(state.dueAt).toBe(START + IDLE_MS_MAX);
    expect(createState({ ...RUN, mode: "manual" }, START).dueAt).toBe(START + 300_000);
  });

  it("B56: takes the room for output and the patience from its settings", () => {
    expect(createState(RUN, START)).toMatchObject({ maxTokens: 8_192, loop: DEFAULT_LOOP, maxTokensMax: 128_000 });
    const loop = { ...DEFAULT_LOOP, maxTokens: 2_048, cycleRepeats: 4 };
    expect(createState({ ...RUN, loop, maxTokensMax: 32_000 }, START)).toMatchObject({
      maxTokens: 2_048,
      maxTokensMax: 32_000,
      loop,
    });
  });
});

describe("the lists of the contract", () => {
  it("A4: four phases, four outcomes, eighteen reasons, each once", () => {
    expect(PHASES).toEqual(["thought", "action", "observation", "finish"]);
    expect(OUTCOMES).toEqual(["answered", "stopped", "failed", "cancelled"]);
    expect([STOP_REASONS.length, new Set(STOP_REASONS).size]).toEqual([18, 18]);
  });
});
