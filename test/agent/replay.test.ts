/** A2, C31, C33: a recorded run gives the same states again, byte for byte, or says where it first parts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replayRun } from "../../src/agent/replay.ts";
import type { RecordedRun } from "../../src/agent/replay-record.ts";
import { toPublicRunEvent } from "../../src/agent/run-event.ts";
import type { AgentState } from "../../src/agent/state.ts";
import { isAtRest } from "../../src/durable/checkpoints.ts";
import { createAskUserTool } from "../../src/tools/ask-user.ts";
import { answering, calling, failed, functionModel, querying, replied, saying } from "../fakes/function-model.ts";
import { Crash, createMemoryRun, finalAnswerTool, type MemoryOptions, queryTool } from "../fakes/memory-run.ts";

type Reply = () => ReturnType<typeof querying>;

const tools = [
  queryTool((sql) => (sql.includes("bad") ? new Error("no such column: x") : { columns: ["q"], rows: [[sql]] })),
  finalAnswerTool,
];

/** What a transcript holds of a run: its states at rest, one a step, and the last. */
async function record(replies: readonly Reply[], options: MemoryOptions = {}): Promise<RecordedRun> {
  const model = functionModel((request) => {
    if (request.toolChoice === "none") return saying("So far.");
    const said = request.messages.filter((message) => message.role === "assistant").length;
    const nudged = request.messages.filter((message) => message.role === "user").length - 1;
    return (replies[said + nudged] ?? (() => answering("Done.", ["r1"])))();
  });
  const run = createMemoryRun(model, { tools, ...options });
  const states = new Map<number, AgentState>([[0, run.state()]]);
  const keep = (): void => {
    const state = run.state();
    if (isAtRest(state) && state.cutText === null) states.set(state.usage.steps, state);
  };
  const { journal } = run.ports;
  const save = journal.save;
  Object.assign(journal, {
    save: async (...args: Parameters<typeof save>) => {
      // A crash after the write has lost nothing.
      await Promise.resolve(save(...args)).finally(keep);
    },
  });
  await run.finish();
  const events = run.events().map((event) => toPublicRunEvent(event, (index) => run.messages()[index] ?? null));
  return JSON.parse(JSON.stringify({ states: [...states.values(), run.state()], messages: run.messages(), events }));
}

const RUNS: { readonly [name: string]: readonly [readonly Reply[], MemoryOptions?] } = {
  "a query and an answer": [[() => querying("SELECT 1"), () => answering("1", ["r1"])]],
  "parallel calls, an error, a mend": [
    [
      () => calling(["execute_read_only_sql", { sql: "a" }], ["execute_read_only_sql", { sql: "b" }]),
      () => querying("bad"),
      () => querying("good"),
      () => saying("Fine."),
    ],
  ],
  "an empty and a cut reply": [
    [
      () => replied({}),
      () => replied({ text: "cu" }, "max_tokens"),
      () => replied({ calls: [{ id: "c", name: "q", input: {} }] }, "max_tokens"),
      () => querying("SELECT 1"),
      () => answering("1"),
    ],
  ],
  "a long text that is cut and summarised": [
    [() => replied({ text: "words ".repeat(200) }, "max_tokens"), () => querying("1"), () => answering("1")],
  ],
  "a ceiling and the last call": [
    [() => querying("1"), () => querying("2"), () => querying("3"), () => querying("4")],
    { limits: { max_steps: 3 } },
  ],
  "too many calls for the hops": [
    [
      () => calling(["execute_read_only_sql", { sql: "a" }], ["nope", {}], ["execute_read_only_sql", { sql: "c" }]),
      () => querying("d"),
    ],
    { limits: { max_hops: 2 } },
  ],
  "families that fail twice, work, and fail again": [
    [
      () =>
        calling(
          ["execute_read_only_sql", { sql: "bad FROM t" }],
          ["execute_read_only_sql", { sql: "SELECT bad FROM u" }],
        ),
      () =>
        calling(
          ["execute_read_only_sql", { sql: "SELECT bad FROM u" }],
          ["execute_read_only_sql", { sql: "SELECT 1 FROM u" }],
        ),
      () => querying("SELECT bad FROM u"),
      () => querying("good"),
    ],
    { limits: { max_errors: 8 } },
  ],
  "errors to the ceiling": [[() => querying("bad 1"), () => querying("bad 2"), () => querying("bad 3")]],
  "a cycle up to its critic": [
    Array.from({ length: 12 }, () => () => querying("same")),
    { limits: { max_steps: 30, max_hops: 30 } },
  ],
  "a tight budget": [
    [() => querying("1"), () => querying("2"), () => querying("3"), () => answering("1")],
    { limits: { budget_usd: 0.2 } },
  ],
  "a tight clock": [
    [() => querying("1"), () => querying("2"), () => querying("3"), () => answering("1")],
    { limits: { wall_clock_s: 6 }, effectMs: 900 },
  ],
  "grounding required": [
    [() => answering("42"), () => querying("SELECT 42"), () => answering("43", ["r1"]), () => answering("44", ["r1"])],
    { run: { grounding: "require" } },
  ],
  "C45: a person who allows one round and not the next": [
    [
      () => calling(["execute_read_only_sql", { sql: "a" }], ["nope", {}], ["execute_read_only_sql", { sql: "b" }]),
      () => querying("c"),
      () => answering("1"),
    ],
    {
      run: { approveAboveRows: 5 },
      person: ({ usage }) => (usage.steps === 1 ? "approved" : "declined"),
    },
  ],
  "a question back, beside a query that waits for a yes": [
    [
      () =>
        calling(
          ["execute_read_only_sql", { sql: "a" }],
          ["ask_user", { question: "Which?", options: ["Revenue", "Count"] }],
          ["ask_user", { question: "And when?", options: ["Now", "Then"] }],
        ),
      () => answering("1"),
    ],
    { tools: [...tools, createAskUserTool()], run: { approveAboveRows: 5 }, person: () => "approved" },
  ],
  "C45: a person who never answers": [[() => querying("a")], { run: { approveAboveRows: 5 } }],
  "a provider that fails for good": [[() => failed("fatal", "authentication")]],
  "a refusal": [[() => replied({ text: "No." }, "refusal")]],
};

describe("a replay", () => {
  it.each(Object.keys(RUNS))("gives the same states, byte for byte: %s", async (name) => {
    const [replies, options] = RUNS[name]!;
    const recorded = await record(replies, options);
    const replayed = replayRun(recorded);
    expect(replayed).toMatchObject({ kind: "same" });
    expect(replayed.kind === "same" && replayed.transitions).toBeGreaterThan(1);
  });

  it("property: whatever the model says, and however often its provider fails, the replay is the run", async () => {
    const sql = fc.constantFrom("SELECT 1", "SELECT 2", "bad", "SELECT bad FROM t", "SELECT 1 FROM t", "bad FROM u");
    const call = fc.oneof(
      sql.map((text) => ["execute_read_only_sql", { sql: text }] as const),
      fc.constantFrom<readonly [string, object]>(["nope", {}], ["execute_read_only_sql", {}], ["final_answer", {}]),
    );
    const reply: fc.Arbitrary<Reply> = fc.oneof(
      { weight: 6, arbitrary: fc.array(call, { minLength: 1, maxLength: 3 }).map((calls) => () => calling(...calls)) },
      { weight: 1, arbitrary: fc.constant(() => replied({})) },
      { weight: 1, arbitrary: fc.constant(() => replied({ text: "words ".repeat(200) }, "max_tokens")) },
      { weight: 1, arbitrary: fc.constant(() => replied({ text: "cut" }, "max_tokens")) },
      { weight: 1, arbitrary: fc.constant(() => replied({ text: "Full." }, "context_window")) },
      { weight: 1, arbitrary: fc.constant(() => saying("It is 1.")) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(reply, { minLength: 1, maxLength: 8 }),
        fc.constantFrom<"off" | "report" | "require">("off", "report", "require"),
        fc.constantFrom(2, 8),
        async (replies, grounding, max_errors) => {
          const recorded = await record(replies, { run: { grounding }, limits: { max_errors } });
          const replayed = replayRun(recorded);
          if (replayed.kind !== "same") throw new Error(JSON.stringify(replayed).slice(0, 1_500));
          expect(replayed.transitions).toBeGreaterThan(1);
        },
      ),
      { seed: 20_261_201, numRuns: 300 },
    );
  }, 60_000);

  it("of a run that was crashed at any point too", async () => {
    const [replies] = RUNS["parallel calls, an error, a mend"]!;
    for (let at = 0; at < 30; at += 1) {
      const recorded = await record(replies, {
        atPoint: (point) => {
          if (point === at) throw new Crash(`at ${point}`);
        },
      });
      expect(replayRun(recorded)).toEqual({
        kind: "same",
        transitions: expect.any(Number),
        states: expect.any(Number),
      });
    }
  });

  it("of a run that an older release recorded, with the whole of its hashes", async () => {
    const recorded = await record([() => querying("SELECT 1"), () => querying("bad"), () => answering("1", ["r1"])]);
    const states = recorded.states.map((state) => ({
      ...state,
      recent: state.recent.map((call) => ({ ...call, result: `${call.result}${"0".repeat(32)}` })),
    }));
    expect(states.at(-1)?.recent.map(({ result }) => result.length)).toEqual([64, 64, 64]);
    expect(replayRun({ ...recorded, states })).toMatchObject({ kind: "same" });
  });

  it("says where it first parts: an event, a message, a state that is not what the rules give", async () => {
    const recorded = await record(RUNS["parallel calls, an error, a mend"]![0]);
    const change = <T>(list: readonly T[], index: number, edit: (one: T) => T): T[] =>
      list.map((one, at) => (at === index ? edit(one) : one));
    const states = change(recorded.states, 2, (state) => ({ ...state, consecutiveErrors: 7 }));
    expect(replayRun({ ...recorded, states })).toMatchObject({
      kind: "differs",
      step: 2,
      what: "state after step 2, field consecutiveErrors",
      recorded: "7",
      replayed: "1",
    });
    const step = recorded.events.findLastIndex((event) => event.type === "step_finished");
    const events = change(recorded.events, step, (event) => ({ ...event, phase: "thought" }));
    expect(replayRun({ ...recorded, events })).toMatchObject({ kind: "differs", seq: step + 1, what: "event" });
    const gone = recorded.events.filter((event) => event.type !== "model_replied");
    expect(replayRun({ ...recorded, events: gone })).toMatchObject({ kind: "differs" });
    expect(replayRun({ ...recorded, states: [] })).toMatchObject({
      kind: "differs",
      what: expect.stringMatching(/no state/),
    });
  });
});
