import { describe, expect, it } from "vitest";
import { DEFAULT_LOOP } from "../../src/agent/cycles.ts";
import { createNotesTool } from "../../src/tools/notes.ts";
import {
  answering,
  calling,
  failed,
  functionModel,
  PRICED,
  querying,
  replied,
  saying,
} from "../fakes/function-model.ts";
import { createMemoryRun, finalAnswerTool, queryTool } from "../fakes/memory-run.ts";

const tools = [
  queryTool((sql) =>
    sql.startsWith("bad") ? new Error(`no such column in ${sql}`) : { columns: ["sql"], rows: [[sql]] },
  ),
  finalAnswerTool,
];
const usage = (input: number) => ({ input, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 10 });
const large = { ...PRICED, contextWindow: 10_000 };

describe("a fresh transcript", () => {
  it("opens at the share of the window with question, findings by reference, and dead ends; nothing is edited", async () => {
    const model = functionModel((request, call) => {
      const reply = [querying("A"), querying("bad B"), querying("C"), answering("A", ["r1"])][call];
      if (reply?.kind !== "reply") throw new Error(`unexpected call ${call} of ${request.messages.length}`);
      return { kind: "reply", reply: { ...reply.reply, usage: usage(call === 2 ? 6_100 : 1_000) } };
    }, large);
    const run = createMemoryRun(model, { tools, run: { question: "How many letters?" } });
    await run.finish();
    const lengths = run.calls.map((call) => call.request.messages.length);
    expect(lengths).toEqual([1, 3, 5, 1]);
    const opening = JSON.stringify(run.calls[3]?.request.messages[0]);
    expect(opening).toContain("How many letters?");
    expect(opening).toContain("Result r1");
    expect(opening).toContain("Dead ends");
    expect(opening).toContain("bad B");
    expect(run.messages()).toHaveLength(10);
    expect(run.state()).toMatchObject({ renewals: 1, ending: { outcome: "answered", results: ["r1"] } });
  });

  it("the share is a setting", async () => {
    const model = functionModel((_request, call) => {
      const reply = [querying("A"), querying("B"), answering("x")][call];
      if (reply?.kind !== "reply") throw new Error("unexpected call");
      return { kind: "reply", reply: { ...reply.reply, usage: usage(3_000) } };
    }, large);
    const run = createMemoryRun(model, { tools, run: { loop: { ...DEFAULT_LOOP, contextShare: 0.2 } } });
    await run.finish();
    expect(run.state().renewals).toBe(2);
  });

  it("a reply that filled the window is followed by one; a fresh transcript that fills it is the end", async () => {
    const model = functionModel((_request, call) =>
      call === 0 ? querying("A") : replied({ text: "x" }, "context_window"),
    );
    const run = createMemoryRun(model, { tools });
    await run.finish();
    expect(run.state()).toMatchObject({ renewals: 1, ending: { stopReason: "context_window", answer: null } });
  });
});

describe("provider repair", () => {
  const persistent = (status: number) => failed("fatal", "invalid_request", { status, unbilled: true });

  it("B60: a persistent 400 leaves out the last pair, and the run goes on", async () => {
    const model = functionModel((request, call) => {
      if (call === 0) return querying("A");
      return request.messages.length > 1 ? persistent(400) : answering("A", ["r1"]);
    });
    const run = createMemoryRun(model, { tools });
    await run.finish();
    expect(run.calls.map((call) => call.request.messages.length)).toEqual([1, 3, 1]);
    expect(run.messages()).toHaveLength(5);
    expect(run.state()).toMatchObject({
      omitted: [{ from: 1, to: 3 }],
      repairTier: 0,
      ending: { outcome: "answered" },
    });
  });

  it("B61–B64: then a fresh transcript, then one without notes, then provider_error; every tier is in the journal", async () => {
    const run = createMemoryRun(
      functionModel((_request, call) => (call < 2 ? querying(call === 0 ? "A" : "B") : persistent(400))),
      { tools },
    );
    await run.finish();
    const repairs = run
      .events()
      .flatMap((event) => (event.type === "recovery" && event.what === "repair" ? [event.text] : []));
    expect(repairs.map((text) => text.slice(0, 6))).toEqual(["Tier 1", "Tier 2", "Tier 3"]);
    // B64: each tier refers to the rows of the request that was refused, and to the event with what the server said.
    const requests = run.calls.filter((_, call) => call >= 2).map(({ request }) => request.messages);
    const refused = run
      .events()
      .flatMap((event) => (event.type === "recovery" && event.refused ? [event.refused] : []));
    expect(refused).toHaveLength(3);
    for (const [tier, { messages, omitted, reply }] of refused.entries()) {
      const isSent = (row: number): boolean => !omitted.some(({ from, to }) => row >= from && row < to);
      const rows = run.messages().slice(messages.from, messages.to);
      expect(rows.filter((_, index) => isSent(messages.from + index))).toEqual(requests[tier]);
      expect(run.events()[reply - 1]).toMatchObject({ type: "model_failed", status: 400, text: expect.any(String) });
    }
    expect(run.state()).toMatchObject({ ending: { stopReason: "provider_error", outcome: "failed" }, renewals: 2 });
    expect(run.state().usage.steps).toBe(3);
  });

  it("B60: a 500 that stays through all its tries is repaired too, and the run goes on", async () => {
    const model = functionModel((request, call) => {
      if (call === 0) return querying("A");
      return request.messages.length > 1
        ? failed("retryable", "api_error", { status: 500, unbilled: true })
        : answering("A", ["r1"]);
    });
    const run = createMemoryRun(model, { tools });
    await run.finish();
    expect(run.calls.map((call) => call.request.messages.length)).toEqual([1, 3, 3, 3, 3, 1]);
    expect(run.state()).toMatchObject({ omitted: [{ from: 1, to: 3 }], ending: { outcome: "answered" } });
  });

  it("B61, B62: notes go without their fences at the second tier, not at all at the third, and stay in the state", async () => {
    const note = "Sketch:\n```sql\nSELECT 7\n```";
    const run = createMemoryRun(
      functionModel((_request, call) => (call === 0 ? calling(["notes", { note }]) : persistent(400))),
      { tools: [...tools, createNotesTool()] },
    );
    await run.finish();
    const sent = run.calls.map(({ request }) => JSON.stringify(request.messages));
    // The whole conversation; without its last pair; anew with plain notes; anew without notes.
    expect(sent.slice(1).map((text) => [text.includes("SELECT 7"), text.includes("```")])).toEqual([
      [true, true],
      [false, false],
      [true, false],
      [false, false],
    ]);
    expect(run.state()).toMatchObject({ memo: { notes: [note] }, ending: { stopReason: "provider_error" } });
  });

  it.each([429, 529, 401])("never for a %i, which is not about the request", async (status) => {
    const run = createMemoryRun(
      functionModel((_request, call) => (call === 0 ? querying("A") : persistent(status))),
      { tools },
    );
    await run.finish();
    expect(run.state()).toMatchObject({ repairTier: 0, ending: { stopReason: "provider_error" } });
  });

  it("never for the first request of a run: there is nothing to leave out", async () => {
    const run = createMemoryRun(
      functionModel(() => persistent(400)),
      { tools },
    );
    await run.finish();
    expect(run.calls).toHaveLength(1);
  });
});

describe("a cut-off text", () => {
  const long = "The first part of the answer. ".repeat(30);

  it("B32–B35: is summarised once, the summary goes into the next request, and the room is doubled", async () => {
    const model = functionModel((request) => {
      if (request.system.startsWith("You summarise")) return saying("It had found A.");
      return JSON.stringify(request.messages).includes("It had found A.")
        ? saying("Done: A.")
        : replied({ text: long }, "max_tokens");
    });
    const run = createMemoryRun(model, { tools });
    await run.finish();
    expect(run.calls.map((call) => call.request.maxTokens)).toEqual([8_192, 2_048, 16_384]);
    expect(run.state()).toMatchObject({ ending: { answer: "Done: A." }, usage: { steps: 2, modelCalls: 3 } });
  });

  it("B35: a summary that is itself cut is not asked for again: the raw text serves", async () => {
    const model = functionModel((request, call) =>
      call < 2 ? replied({ text: long }, "max_tokens") : saying(`Done ${request.messages.length}.`),
    );
    const run = createMemoryRun(model, { tools });
    await run.finish();
    expect(run.calls).toHaveLength(3);
    expect(JSON.stringify(run.calls[2]?.request.messages)).toContain("The first part of the answer.");
  });

  it("B53, B54: the room doubles to the model's maximum, then the run ends as truncated", async () => {
    const run = createMemoryRun(
      functionModel((request) =>
        request.system.startsWith("You summarise") ? saying("s") : replied({ hasThinking: true }, "max_tokens"),
      ),
      { tools, run: { maxTokensMax: 40_000 }, limits: { budget_usd: 5 } },
    );
    await run.finish();
    expect(run.calls.map((call) => call.request.maxTokens)).toEqual([8_192, 16_384, 32_768, 40_000]);
    expect(run.state().ending).toMatchObject({ stopReason: "truncated", partialAnswer: null });
    expect(JSON.stringify(run.messages())).toContain("Think more briefly");
  });

  it("B56: the first room is a setting", async () => {
    const run = createMemoryRun(
      functionModel(() => saying("x")),
      { tools, run: { loop: { ...DEFAULT_LOOP, maxTokens: 2_000 } } },
    );
    await run.finish();
    expect(run.calls[0]?.request.maxTokens).toBe(2_000);
  });
});
