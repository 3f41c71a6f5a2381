/** The step driver at its edges: instants, tries, leases and results, from states written out by hand (L1, L2, C10). */
import { describe, expect, it } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import type { Message, ModelOutcome, ModelRequest } from "../../src/agent/model.ts";
import { failure, success } from "../../src/agent/observation.ts";
import type { StepPorts } from "../../src/agent/ports.ts";
import type { AgentState } from "../../src/agent/state.ts";
import { runStep } from "../../src/agent/step.ts";
import { NOTHING_FORESEEN, type Tool } from "../../src/agent/tool.ts";
import { answering, failed, functionModel, querying, replied, saying } from "../fakes/function-model.ts";
import { finalAnswerTool, queryTool } from "../fakes/memory-run.ts";
import { callOf, endingWith, modelAttempt, START, stateWith } from "./states.ts";

interface World {
  readonly ports: StepPorts;
  /** States in the order of their saves. */
  readonly saves: AgentState[];
  readonly requests: ModelRequest[];
  state(): AgentState;
  /** What somebody else does to the run. */
  set(state: AgentState): void;
}

const QUESTION: Message = { role: "user", text: "How many albums are there?" };
const asked = (...sql: string[]): Message[] => [
  QUESTION,
  { role: "assistant", content: [], text: "", calls: sql.map((text, index) => callOf(`c${index}`, text)) },
];

/** A run that stands at `start`, with a model and tools that may look at the world while they work. */
function worldAt(
  start: AgentState,
  parts: {
    readonly now?: number;
    readonly messages?: readonly Message[];
    readonly reply?: (request: ModelRequest, world: World) => ModelOutcome;
    readonly tool?: (world: World) => Tool;
  } = {},
): World {
  let head = start;
  let tokens = 0;
  const messages = [...(parts.messages ?? [QUESTION])];
  const saves: AgentState[] = [];
  const requests: ModelRequest[] = [];
  const model = functionModel((request) => {
    requests.push(request);
    return (parts.reply ?? (() => saying("347.")))(request, world);
  });
  const world: World = {
    ports: {
      journal: {
        load: () => head,
        pinned: () => ({ system: "", tools: [{ name: "execute_read_only_sql", description: "", inputSchema: {} }] }),
        messages: () => messages,
        results: () => [],
        save: (moved) => {
          head = moved.state;
          messages.push(...moved.messages);
          saves.push(head);
        },
      },
      model,
      tools: new Map(),
      now: () => parts.now ?? START,
      random: () => 0,
      newToken: () => `t${tokens++}`,
      signalFor: () => new AbortController().signal,
    },
    saves,
    requests,
    state: () => head,
    set: (state) => {
      head = state;
    },
  };
  const query = parts.tool?.(world) ?? queryTool(() => ({ columns: ["n"], rows: [[1]] }));
  Object.assign(world.ports, { tools: new Map([query, finalAnswerTool].map((tool) => [tool.name, tool])) });
  return world;
}

const acting = (parts: Parameters<typeof stateWith>[0] = {}) => stateWith({ phase: "action", messages: 2, ...parts });

describe("what a step does first", () => {
  it("A1: a finished run is left alone: nothing is asked, nothing is saved", async () => {
    const world = worldAt(stateWith({ phase: "finish", ending: endingWith() }));
    expect(await runStep(world.ports)).toEqual({ kind: "finished" });
    expect(world.saves.length + world.requests.length).toBe(0);
  });

  it.each([
    ["a millisecond before its expiry", 1, "timeout"],
    ["at its expiry", 0, "expired"],
    ["after its expiry", -1, "expired"],
  ])("%s a run ends, as %s ms left say: %s", async (_what, leftMs, reason) => {
    const now = START + 5_000;
    const world = worldAt(stateWith({ expiresAt: now + leftMs, touchedAt: now, dueAt: now + 2_000 }), { now });
    expect(await runStep(world.ports)).toEqual({ kind: "finished" });
    expect(world.state().ending?.stopReason).toBe(reason);
  });

  it.each([
    [3, "done"],
    [4, "error"],
  ])("after %s failed tries of a step the run ends as %s", async (failedTries, reason) => {
    const world = worldAt(stateWith({ failedTries }));
    expect(await runStep(world.ports)).toEqual({ kind: "finished" });
    expect(world.state().ending?.stopReason).toBe(reason);
    if (reason === "error") expect(world.state().ending?.message).toContain("interrupted 4 times in a row");
  });

  it("a wait is waited out, to the millisecond, and nothing is saved", async () => {
    const waiting = (until: number) => stateWith({ failedTries: 1, waiting: { kind: "retry", until, code: "x" } });
    const early = worldAt(waiting(START + 1));
    expect(await runStep(early.ports)).toEqual({ kind: "wait", until: START + 1 });
    expect(early.saves).toEqual([]);
    const due = worldAt(waiting(START));
    expect(await runStep(due.ports)).toEqual({ kind: "finished" });
    expect(due.requests).toHaveLength(1);
  });

  it("a lost attempt is settled before anything else", async () => {
    const world = worldAt(stateWith({ attempt: modelAttempt({ reservedNanoUsd: 77 }), usage: { steps: 1 } }));
    await runStep(world.ports);
    expect(world.saves[0]).toMatchObject({ attempt: null, failedTries: 1, usage: { costNanoUsd: 77 } });
  });

  it("after a ceiling only the last call is made, whatever else was due", async () => {
    const world = worldAt(stateWith({ concluding: "max_hops", cutText: "The ans", critic: "due" }));
    expect(await runStep(world.ports)).toEqual({ kind: "finished" });
    expect(world.requests.map(({ toolChoice }) => toolChoice)).toEqual(["none"]);
    expect(world.state().ending).toMatchObject({ stopReason: "max_hops", partialAnswer: "347." });
  });
});

describe("what a step says of itself", () => {
  it.each<[string, ModelOutcome, object]>([
    ["an answer", saying("347."), { kind: "finished" }],
    ["an answer by its tool", answering("347."), { kind: "finished" }],
    ["an empty reply", saying(""), { kind: "ready" }],
    ["calls and their results", querying("SELECT 1"), { kind: "ready" }],
    [
      "a failure that may pass",
      failed("retryable", "overloaded", { unbilled: true }),
      { kind: "wait", until: START + 500 },
    ],
    ["a failure for good", failed("fatal", "authentication", { unbilled: true }), { kind: "finished" }],
    ["a refusal", replied({}, "refusal"), { kind: "finished" }],
  ])("after %s", async (_what, outcome, result) => {
    const world = worldAt(stateWith(), { reply: () => outcome });
    expect(await runStep(world.ports)).toEqual(result);
  });

  it("without a model call left it ends by what the rows say", async () => {
    const world = worldAt(stateWith({ concluding: "max_hops", usage: { modelCalls: 20 } }));
    expect(await runStep(world.ports)).toEqual({ kind: "finished" });
    expect(world.requests).toEqual([]);
    expect(world.state().ending).toMatchObject({ stopReason: "max_hops", partialAnswer: null });
  });

  it("at a ceiling the last call follows in the same invocation", async () => {
    const reply = (request: ModelRequest) => (request.toolChoice === "none" ? saying("So far.") : querying("SELECT 1"));
    const world = worldAt(stateWith({ limits: { hopsMax: 1 } }), { reply });
    expect(await runStep(world.ports)).toEqual({ kind: "finished" });
    expect(world.state().ending).toMatchObject({ stopReason: "max_hops", partialAnswer: "So far." });
  });
});

describe("the model call", () => {
  it("L3: is told how long it may take: until its abort", async () => {
    const world = worldAt(stateWith({ limits: { stepTimeoutMs: 12_345 } }));
    await runStep(world.ports);
    expect(world.requests[0]?.timeoutMs).toBe(12_345);
  });

  it("L1, L2: leaves after the save that reserved it, with nothing else open", async () => {
    const world = worldAt(stateWith(), {
      reply: (_request, { saves }) => {
        expect(saves).toHaveLength(1);
        expect(saves[0]?.attempt).toMatchObject({ kind: "model", purpose: "step" });
        return saying("347.");
      },
    });
    await runStep(world.ports);
    expect(world.saves).toHaveLength(2);
  });

  it("B60: a request that is refused for good is changed; one that may pass is only tried again", async () => {
    const history = [
      ...asked("SELECT 1"),
      { role: "tool" as const, results: [{ callId: "c0", content: "{}", isError: false }] },
    ];
    const start = stateWith({ phase: "observation", messages: 3 });
    const refused = worldAt(start, {
      messages: history,
      reply: () => failed("fatal", "invalid_request", { status: 400 }),
    });
    await runStep(refused.ports);
    expect(refused.state()).toMatchObject({ repairTier: 1, omitted: [{ from: 1, to: 3 }], ending: null });
    const passing = worldAt(start, {
      messages: history,
      reply: () => failed("retryable", "api_error", { status: 500 }),
    });
    await runStep(passing.ports);
    expect(passing.state()).toMatchObject({ repairTier: 0, omitted: [], waiting: { kind: "retry" } });
  });

  it.each([
    ["a critic", { critic: "due" as const, rung: 3 }],
    ["a summary", { cutText: "The ans" }],
    ["the last call", { concluding: "max_hops" as const }],
  ])("%s that fails changes no request and is not waited for", async (_what, parts) => {
    const world = worldAt(stateWith({ messages: 2, ...parts }), {
      messages: asked("SELECT 1"),
      reply: (request) =>
        request.tools.length > 0 && request.toolChoice === "auto" ? saying("") : failed("fatal", "x", { status: 400 }),
    });
    await runStep(world.ports);
    expect(world.state()).toMatchObject({ repairTier: 0, waiting: null, omitted: [] });
  });

  it("an extra call that does not fit is skipped, and the run goes on", async () => {
    const start = stateWith({
      cutText: "The ans",
      limits: { modelCallsMax: 3 },
      usage: { modelCalls: 1 },
      cutSummarised: true,
    });
    const world = worldAt(start);
    expect(await runStep(world.ports)).toEqual({ kind: "ready" });
    expect(world.requests).toEqual([]);
    expect(world.state().cutText).toBeNull();
  });
});

describe("a round of tools", () => {
  it("A21: as many calls run as hops are left; the rest are answered", async () => {
    const world = worldAt(acting({ usage: { hops: 7, steps: 1, modelCalls: 1 } }), {
      messages: asked("SELECT 1", "SELECT 2", "SELECT 3"),
      reply: () => saying("So far."),
    });
    await runStep(world.ports);
    expect(world.saves[1]).toMatchObject({ usage: { hops: 8 }, queries: 1, phase: "observation" });
  });

  it("is finished though the ceiling was reached with its reply", async () => {
    const world = worldAt(acting({ roundHops: 1, usage: { hops: 8, steps: 1, modelCalls: 1 } }), {
      messages: asked("SELECT 1"),
      reply: () => saying("So far."),
    });
    await runStep(world.ports);
    expect(world.state().queries).toBe(1);
    expect(world.state().ending?.stopReason).toBe("max_hops");
  });

  it("reserves rows by the estimate of every call that runs", async () => {
    const world = worldAt(acting(), { messages: asked("SELECT 1", "SELECT 2") });
    await runStep(world.ports);
    // The fake estimates ten rows a query: four times that and a thousand, twice.
    expect(world.saves[0]?.attempt).toMatchObject({ kind: "tools", reservedRows: 2_080, reservedNanoUsd: 2_080 });
  });

  it("follows a reply with calls, and nothing else", async () => {
    const bare: Message = { role: "assistant", content: [], text: "", calls: [] };
    for (const messages of [[QUESTION], [QUESTION, bare], []]) {
      await expect(runStep(worldAt(acting(), { messages }).ports)).rejects.toThrow("follows a reply with calls");
    }
  });

  it("L4: a database that changed under a read ends the run as failed, with what was read on record", async () => {
    const world = worldAt(acting(), {
      messages: asked("SELECT 1"),
      tool: () => ({
        ...queryTool(() => new Error("unused")),
        check: () => ({
          ok: true,
          value: {
            signature: "s",
            family: () => [],
            foresee: async () => NOTHING_FORESEEN,
            run: async () => ({ observation: failure("It changed.", []), rowsRead: 9, query: null, quarantined: true }),
          },
        }),
      }),
    });
    expect(await runStep(world.ports)).toEqual({ kind: "finished" });
    expect(world.state()).toMatchObject({ usage: { rowsRead: 9 }, ending: { outcome: "failed", stopReason: "error" } });
    expect(world.state().ending?.message).toContain("The database changed");
    expect(world.requests).toEqual([]);
  });
});

describe("a run that somebody else moved while an effect was open", () => {
  const cancel = (world: World): void =>
    world.set(advance(world.state(), { kind: "cancelled", partial: null }, START).state);
  /** Another driver found the attempt, counted it as lost, and made its own. */
  const takeOver = (world: World): void => {
    const lost = advance(world.state(), { kind: "attempt_lost" }, START).state;
    world.set({ ...lost, attempt: modelAttempt({ token: "theirs" }) });
  };
  const slow = (world: World, meanwhile: (world: World) => void): Tool => ({
    ...queryTool(() => new Error("unused")),
    check: () => ({
      ok: true,
      value: {
        signature: "s",
        family: () => [],
        foresee: async () => NOTHING_FORESEEN,
        run: async () => {
          meanwhile(world);
          return { observation: success("1 row."), rowsRead: 13, query: null };
        },
      },
    }),
  });

  it.each<[string, AgentState]>([
    ["a step", stateWith()],
    ["the last call", stateWith({ concluding: "max_hops" })],
    ["a critic", stateWith({ critic: "due", rung: 3 })],
    ["a summary", stateWith({ cutText: "The ans" })],
  ])("J5: a cancel beats the reply of %s; only its bill is recorded", async (_what, start) => {
    const world = worldAt(start, {
      reply: (_request, now) => {
        cancel(now);
        return saying("Too late.");
      },
    });
    expect(await runStep(world.ports)).toEqual({ kind: "superseded" });
    expect(world.state()).toMatchObject({
      attempt: null,
      ending: { outcome: "cancelled", partialAnswer: null },
      usage: { costNanoUsd: 500 * 2_000 + 100 * 10_000 },
    });
  });

  it("a cancel beats the results of a round; its rows are counted", async () => {
    const world = worldAt(acting(), {
      messages: asked("a", "b"),
      tool: (now) => slow(now, (one) => one.state().ending === null && cancel(one)),
    });
    expect(await runStep(world.ports)).toEqual({ kind: "superseded" });
    expect(world.state()).toMatchObject({
      attempt: null,
      ending: { outcome: "cancelled" },
      usage: { rowsRead: 26, costNanoUsd: 26 },
    });
  });

  const drivenOn = (world: World): void =>
    world.set(
      advance(world.state(), { kind: "call_reserved", attempt: modelAttempt({ token: "theirs" }) }, START).state,
    );

  it.each([
    ["cancelled", cancel, { ending: { outcome: "cancelled" }, attempt: null }],
    ["driven on", drivenOn, { ending: null, attempt: { token: "theirs" } }],
  ])(
    "J5, L2: one that was %s while the vendor counted tokens is left as it is, and nothing is called",
    async (_what, move, expected) => {
      const world = worldAt(stateWith());
      // By bytes it does not fit, so the vendor is asked.
      const countInputTokens = async () => {
        move(world);
        return 100;
      };
      Object.assign(world.ports, { model: { ...world.ports.model, boundInputTokens: () => 1e9, countInputTokens } });
      expect(await runStep(world.ports)).toEqual({ kind: "superseded" });
      expect(world.state()).toMatchObject(expected);
      expect([world.saves, world.requests]).toEqual([[], []]);
    },
  );

  it("J5: a cancel while the database tells how many rows a query would read is kept, and the query does not run", async () => {
    let ran = 0;
    const world = worldAt(acting(), {
      messages: asked("a"),
      tool: (now) => ({
        ...queryTool(() => new Error("unused")),
        check: () => ({
          ok: true,
          value: {
            signature: "s",
            family: () => [],
            foresee: async () => {
              cancel(now);
              return { ...NOTHING_FORESEEN, rowsRead: 10 };
            },
            run: async () => {
              ran += 1;
              return { observation: success("1 row."), rowsRead: 13, query: null };
            },
          },
        }),
      }),
    });
    expect(await runStep(world.ports)).toEqual({ kind: "superseded" });
    expect(world.state()).toMatchObject({ ending: { outcome: "cancelled" }, attempt: null });
    expect([world.saves, ran]).toEqual([[], 0]);
  });

  it("L2: a driver whose attempt was taken from it settles nothing", async () => {
    const world = worldAt(stateWith(), {
      reply: (_request, now) => {
        takeOver(now);
        return saying("Too late.");
      },
    });
    expect(await runStep(world.ports)).toEqual({ kind: "superseded" });
    expect(world.state()).toMatchObject({ ending: null, attempt: { token: "theirs" }, failedTries: 1 });
    expect(world.saves).toHaveLength(1);
  });

  it("L2: nor does one whose attempt was counted as lost, with nothing open in its place", async () => {
    const world = worldAt(stateWith(), {
      reply: (_request, now) => {
        now.set(advance(now.state(), { kind: "attempt_lost" }, START).state);
        return saying("Too late.");
      },
    });
    expect(await runStep(world.ports)).toEqual({ kind: "superseded" });
    expect(world.state()).toMatchObject({ ending: null, attempt: null, failedTries: 1 });
    expect(world.saves).toHaveLength(1);
  });

  it("L2: nor does one whose run ended and was billed meanwhile", async () => {
    const world = worldAt(stateWith(), {
      reply: (_request, now) => {
        cancel(now);
        now.set(advance(now.state(), { kind: "bill_arrived", costNanoUsd: 5 }, START).state);
        return saying("Too late.");
      },
    });
    expect(await runStep(world.ports)).toEqual({ kind: "superseded" });
    expect(world.state().usage.costNanoUsd).toBe(5);
  });
});
