/** What a request holds, and the ladder of bounds that fits it into the budget (G, A31, B32, B37). */
import { describe, expect, it } from "vitest";
import { keptBackNanoUsd, LAST_CALL_PROMPT_BYTES_MAX, worstCaseNanoUsd } from "../../src/agent/cost.ts";
import { LAST_CALL_TEXT } from "../../src/agent/extra-requests.ts";
import type { Message, Model, ModelInfo, ModelRequest } from "../../src/agent/model.ts";
import { planExtraCall, planLastCall, planStepCall } from "../../src/agent/plan-call.ts";
import type { StepPorts } from "../../src/agent/ports.ts";
import { systemText } from "../../src/agent/prompt.ts";
import type { AgentState, Attempt } from "../../src/agent/state.ts";
import type { StoredResult } from "../../src/agent/tool.ts";
import { PRICED } from "../fakes/function-model.ts";
import { callOf, START, type StateParts, stateWith } from "./states.ts";

interface World {
  readonly bound?: (request: ModelRequest) => number;
  readonly counted?: number | null;
  readonly messages?: readonly Message[];
  readonly results?: readonly StoredResult[];
  readonly info?: ModelInfo;
}

const SPEC = { name: "execute_read_only_sql", description: "Runs.", inputSchema: {} };
const QUESTION: Message = { role: "user", text: "How many albums are there?" };

/** Ports with a model whose bound and count are given numbers; counting is written down. */
function portsWith(world: World = {}): { readonly ports: StepPorts; readonly counting: Attempt[] } {
  const counting: Attempt[] = [];
  const model: Model = {
    info: world.info ?? PRICED,
    boundInputTokens: world.bound ?? (() => 1_000),
    countInputTokens: async () => world.counted ?? null,
    complete: () => Promise.reject(new Error("planning calls nobody")),
  };
  const ports: StepPorts = {
    journal: {
      load: () => stateWith(),
      pinned: () => ({ system: systemText("table T (1 rows)\n  n INTEGER"), tools: [SPEC] }),
      messages: () => world.messages ?? [QUESTION],
      results: () => world.results ?? [],
      save: () => undefined,
    },
    model,
    tools: new Map(),
    now: () => START,
    random: () => 0,
    newToken: () => "token",
    signalFor: (attempt) => {
      counting.push(attempt);
      return new AbortController().signal;
    },
  };
  return { ports, counting };
}

const KEPT = keptBackNanoUsd(PRICED);
const budget = (costNanoUsdMax: number, parts: StateParts = {}): AgentState =>
  stateWith({ ...parts, limits: { costNanoUsdMax, ...parts.limits } });
const FULL = worstCaseNanoUsd(PRICED, 1_000, 8_192);

describe("planStepCall", () => {
  it("C9: holds the pinned system text and tools, the history, and the room that the state says", async () => {
    const planned = await planStepCall(portsWith().ports, stateWith({ maxTokens: 16_384 }));
    expect(planned?.request).toEqual({
      system: systemText("table T (1 rows)\n  n INTEGER"),
      tools: [SPEC],
      messages: [QUESTION],
      maxTokens: 16_384,
      toolChoice: "auto",
      timeoutMs: 60_000,
    });
    expect(planned?.reservedNanoUsd).toBe(worstCaseNanoUsd(PRICED, 1_000, 16_384));
  });

  it("never asks for more than the model can write", async () => {
    const { ports } = portsWith({ info: { ...PRICED, maxOutputTokens: 4_096 } });
    expect((await planStepCall(ports, stateWith()))?.request.maxTokens).toBe(4_096);
  });

  it("sends only the present transcript", async () => {
    const messages: Message[] = [QUESTION, { role: "user", text: "b" }, { role: "user", text: "c" }];
    const { ports } = portsWith({ messages });
    const planned = await planStepCall(ports, stateWith({ transcriptStart: 2 }));
    expect(planned?.request.messages).toEqual([{ role: "user", text: "c" }]);
  });

  it("what fits by its bytes is not counted: no request for nothing", async () => {
    const { ports, counting } = portsWith({ counted: 10 });
    const planned = await planStepCall(ports, budget(FULL + KEPT));
    expect(planned).toMatchObject({ reservedNanoUsd: FULL, request: { maxTokens: 8_192 } });
    expect(counting).toEqual([]);
  });

  it("A31: one nano-dollar less than that and the share kept back, and the output shrinks", async () => {
    const { ports, counting } = portsWith();
    const planned = await planStepCall(ports, budget(FULL + KEPT - 1));
    expect(planned?.request.maxTokens).toBe(8_191);
    expect(counting).toHaveLength(1);
  });

  it("a vendor's count tightens the bound, with a margin, before anything shrinks", async () => {
    const { ports } = portsWith({ bound: () => 40_000, counted: 1_000 });
    const tight = worstCaseNanoUsd(PRICED, 1_050 + 64, 8_192);
    expect(await planStepCall(ports, budget(tight + KEPT))).toMatchObject({
      reservedNanoUsd: tight,
      request: { maxTokens: 8_192 },
    });
    expect((await planStepCall(ports, budget(tight + KEPT - 1)))?.request.maxTokens).toBe(8_191);
  });

  it.each([
    ["above the bytes' bound", 90_000],
    ["that cannot be had", null],
  ])("a count %s changes nothing", async (_what, counted) => {
    const { ports } = portsWith({ counted });
    const planned = await planStepCall(ports, budget(FULL + KEPT - 10_000));
    expect(planned?.request.maxTokens).toBe(8_191);
    expect(planned?.reservedNanoUsd).toBe(FULL - 10_000);
  });

  it("L3: counting has its own short time, within the step's", async () => {
    const { ports, counting } = portsWith();
    await planStepCall(ports, budget(FULL + KEPT - 1));
    expect(counting[0]).toMatchObject({ abortAt: START + 10_000, reservedNanoUsd: 0, kind: "model" });
    const short = portsWith();
    await planStepCall(short.ports, budget(FULL + KEPT - 1, { limits: { stepTimeoutMs: 3_000 } }));
    expect(short.counting[0]?.abortAt).toBe(START + 3_000);
  });

  it("G3: when not even 1,024 tokens fit there is no call", async () => {
    const least = worstCaseNanoUsd(PRICED, 1_000, 1_024);
    const { ports } = portsWith();
    expect((await planStepCall(ports, budget(least + KEPT)))?.request.maxTokens).toBe(1_024);
    expect(await planStepCall(ports, budget(least + KEPT - 1))).toBeNull();
  });

  it.each([KEPT, KEPT - 1, 1])(
    "with %s nano-dollars in all, nothing is left beside the share kept back",
    async (nano) => {
      const { ports, counting } = portsWith();
      expect(await planStepCall(ports, budget(nano))).toBeNull();
      expect(counting).toEqual([]);
    },
  );

  it("what is spent is not there", async () => {
    const { ports } = portsWith();
    const state = budget(FULL + KEPT + 500, { usage: { costNanoUsd: 501 } });
    expect((await planStepCall(ports, state))?.request.maxTokens).toBe(8_191);
  });
});

const RESULT: StoredResult = {
  ref: "r1",
  sha256: "0",
  sql: "SELECT n FROM t",
  columns: ["n"],
  rows: [[347]],
  totalRows: 1,
  truncated: false,
};
/** A bound that is the bytes of the messages: so a long history is dear and a short transcript is not. */
const byBytes = (request: ModelRequest) => JSON.stringify([request.system, request.messages]).length;

describe("planLastCall", () => {
  const stopped = (parts: StateParts = {}) => stateWith({ concluding: "max_hops", ...parts });

  it("A31: goes over the whole history when the money allows, with the tools shown and forbidden", () => {
    const planned = planLastCall(portsWith({ results: [RESULT] }).ports, stopped());
    expect(planned?.request).toMatchObject({ tools: [SPEC], toolChoice: "none", maxTokens: 2_048, timeoutMs: 60_000 });
    expect(planned?.request.messages).toEqual([QUESTION, { role: "user", text: LAST_CALL_TEXT }]);
    expect(planned?.reservedNanoUsd).toBe(worstCaseNanoUsd(PRICED, 1_000, 2_048));
  });

  it("A31: else over a short transcript of its own, which the share kept back always pays for", () => {
    const messages: Message[] = [QUESTION, { role: "user", text: "x".repeat(100_000) }];
    const { ports } = portsWith({ bound: byBytes, messages, results: [RESULT] });
    const planned = planLastCall(ports, budget(KEPT));
    expect(planned?.request.tools).toEqual([]);
    expect(planned?.request.messages).toHaveLength(1);
    expect(JSON.stringify(planned?.request.messages)).toContain("n: 347");
    expect(planned?.reservedNanoUsd).toBeLessThanOrEqual(KEPT);
    expect(planned?.request.maxTokens).toBe(2_048);
  });

  it("A31: a history of text that JSON makes six times longer still gives a short transcript within the share", () => {
    const messages: Message[] = [QUESTION, { role: "user", text: "\u0001".repeat(100_000) }];
    const results = [{ ...RESULT, rows: [["\u0001".repeat(100_000)]] }];
    const { ports } = portsWith({ bound: byBytes, messages, results });
    const planned = planLastCall(ports, budget(KEPT));
    expect(planned).not.toBeNull();
    if (planned !== null) expect(byBytes(planned.request)).toBeLessThanOrEqual(LAST_CALL_PROMPT_BYTES_MAX);
  });

  it("shrinks the short transcript's output before it gives up", () => {
    const messages: Message[] = [QUESTION, { role: "user", text: "x".repeat(100_000) }];
    const { ports } = portsWith({ bound: byBytes, messages });
    const planned = planLastCall(ports, budget(20_000_000));
    expect(planned?.request.maxTokens).toBeLessThan(2_048);
    expect(planned?.request.maxTokens).toBeGreaterThanOrEqual(1_024);
    expect(planLastCall(ports, budget(10_000_000))).toBeNull();
  });

  it("a short transcript of exactly the bytes kept back is short enough", () => {
    const bound = (request: ModelRequest) => (request.tools.length > 0 ? 50_000 : LAST_CALL_PROMPT_BYTES_MAX);
    const planned = planLastCall(portsWith({ bound }).ports, budget(KEPT));
    expect(planned).toMatchObject({ reservedNanoUsd: KEPT, request: { maxTokens: 2_048, tools: [] } });
  });

  it("a model whose every request is too long gets no last call", () => {
    const { ports } = portsWith({ bound: () => LAST_CALL_PROMPT_BYTES_MAX + 1 });
    expect(planLastCall(ports, budget(worstCaseNanoUsd(PRICED, LAST_CALL_PROMPT_BYTES_MAX, 2_048)))).toBeNull();
  });

  it.each([
    [19, true],
    [20, false],
    [21, false],
  ])("after %s of 20 model calls there is one: %s", (modelCalls, isPlanned) => {
    expect(planLastCall(portsWith().ports, stopped({ usage: { modelCalls } })) !== null).toBe(isPlanned);
  });

  it.each([
    [299_999, true],
    [300_000, false],
    [300_001, false],
  ])("after %s of 300,000 ms there is one: %s", (activeMs, isPlanned) => {
    expect(planLastCall(portsWith().ports, stopped({ usage: { activeMs } })) !== null).toBe(isPlanned);
  });

  it("may use all the money that is left, the share kept back included", () => {
    const whole = worstCaseNanoUsd(PRICED, 1_000, 2_048);
    expect(planLastCall(portsWith().ports, budget(whole))?.request.toolChoice).toBe("none");
    expect(planLastCall(portsWith().ports, budget(whole))?.request.tools).toEqual([SPEC]);
    expect(planLastCall(portsWith().ports, budget(whole - 1))?.request.tools).toEqual([]);
  });
});

describe("planExtraCall", () => {
  const tried: Message[] = [
    QUESTION,
    { role: "assistant", content: [], text: "", calls: [callOf("c1", "SELECT x")] },
    { role: "tool", results: [{ callId: "c1", content: '{"summary":"No column x."}', isError: true }] },
  ];

  it("B37, B38: a critic is asked with the question, the schema and what was tried, on a transcript of its own", () => {
    const planned = planExtraCall(portsWith({ messages: tried }).ports, stateWith({ critic: "due" }));
    const text = JSON.stringify(planned?.request.messages);
    expect(planned?.request).toMatchObject({ tools: [], toolChoice: "none", maxTokens: 2_048, timeoutMs: 60_000 });
    expect(planned?.request.system).toContain("table T (1 rows)");
    expect(text).toContain("How many albums are there?");
    expect(text).toContain("SELECT x → No column x.");
  });

  it("a critic of a run that tried nothing is told so", () => {
    const planned = planExtraCall(portsWith().ports, stateWith({ critic: "due" }));
    expect(JSON.stringify(planned?.request.messages)).toContain("(nothing)");
  });

  it("B32: a summary is asked of the cut-off text, before any critic", () => {
    const planned = planExtraCall(portsWith().ports, stateWith({ cutText: "The ans", critic: "due" }));
    expect(JSON.stringify(planned?.request.messages)).toContain("The ans");
  });

  it("B35: a summary is asked for once", () => {
    expect(planExtraCall(portsWith().ports, stateWith({ cutText: "The ans", cutSummarised: true }))).toBeNull();
    expect(planExtraCall(portsWith().ports, stateWith({ critic: "due", cutSummarised: true }))).not.toBeNull();
  });

  it.each([
    [18, true],
    [19, false],
    [20, false],
  ])("after %s of 20 model calls it leaves one for the end: %s", (modelCalls, isPlanned) => {
    const state = stateWith({ critic: "due", usage: { modelCalls } });
    expect(planExtraCall(portsWith().ports, state) !== null).toBe(isPlanned);
  });

  it("fits beside the share kept back, with less output if need be, or is not made", () => {
    const { ports } = portsWith();
    const full = worstCaseNanoUsd(PRICED, 1_000, 2_048);
    const least = worstCaseNanoUsd(PRICED, 1_000, 1_024);
    const at = (nano: number) => planExtraCall(ports, budget(nano + KEPT, { critic: "due" }));
    expect(at(full)).toMatchObject({ reservedNanoUsd: full, request: { maxTokens: 2_048 } });
    expect(at(full - 1)?.request.maxTokens).toBe(2_047);
    expect(at(least)?.request.maxTokens).toBe(1_024);
    expect(at(least - 1)).toBeNull();
  });
});
