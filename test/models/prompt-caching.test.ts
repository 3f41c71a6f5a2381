/**
 * What a conversation's input costs beside perfect prefix caching of the same requests, by the strict fake's meter.
 * Perfect: whatever an earlier request began with in the same way is read; what is new is written where a later request
 * begins with it, or could (a call with tools may be followed by another); of a call that is the last, nothing is.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { priceUsage } from "../../src/agent/cost.ts";
import type { ModelInfo } from "../../src/agent/model.ts";
import { systemText } from "../../src/agent/prompt.ts";
import { runStep } from "../../src/agent/step.ts";
import { createAnthropicModel } from "../../src/models/anthropic.ts";
import type { PrefixTtl } from "../../src/models/anthropic-request.ts";
import { KNOWN_MODEL_IDS, lookUpModel, REGION_MULTIPLIER } from "../../src/models/prices.ts";
import { createMeter, type MeteredUsage } from "../fakes/anthropic-meter.ts";
import { FAKE_MODELS, isObject, type JsonObject } from "../fakes/anthropic-rules.ts";
import { message, type ScriptItem, text, thinking, toolUse } from "../fakes/anthropic-script.ts";
import { type FakeAnthropic, type Lane, startFakeAnthropic } from "../fakes/fake-anthropic.ts";
import { createMemoryRun, finalAnswerTool, type MemoryOptions, queryTool } from "../fakes/memory-run.ts";

const MODEL = "claude-sonnet-5-5";
const RATIO_MAX = 1.03;

/** A schema that makes tools and system text about 3,000 tokens long. */
const SCHEMA = Array.from(
  { length: 33 },
  (_, index) =>
    `table Table${index} (${index * 100} rows)\n  Id${index} INTEGER primary key\n  Name TEXT not null\n` +
    `  Country TEXT values: 'Canada', 'USA', 'Norway'\n  OtherId INTEGER -> Table${(index + 1) % 33}.Id${(index + 1) % 33}`,
).join("\n");

const infoOf = (id: string): ModelInfo => {
  const info = lookUpModel(id);
  if (!info.ok) throw new Error(info.error);
  return info.value;
};

const query = (n: number | string) =>
  toolUse("execute_read_only_sql", { sql: `SELECT ${n} AS n FROM Table1 WHERE Id1 > 7` });

const tools = [
  queryTool((sql) => ({
    columns: ["sql", "country"],
    rows: Array.from({ length: 5 }, (_, index) => [`${sql} ${index}`, "Norway"]),
  })),
  finalAnswerTool,
];

/** Input dollars of metered calls, in nano-dollars. */
function priceInput(usages: readonly MeteredUsage[], info: ModelInfo): number {
  const [tier] = info.tiers;
  if (tier === undefined) throw new Error("a model has prices");
  return usages.reduce(
    (sum, usage) =>
      sum +
      usage.input_tokens * tier.input +
      usage.cache_creation.ephemeral_5m_input_tokens * tier.cacheWrite5m +
      usage.cache_creation.ephemeral_1h_input_tokens * tier.cacheWrite1h +
      usage.cache_read_input_tokens * tier.cacheRead,
    0,
  );
}

/** The same request with a mark on every block, so that the meter sees every shared prefix. */
function markAll(body: JsonObject): JsonObject {
  const mark = (block: unknown) => (isObject(block) ? { ...block, cache_control: { type: "ephemeral" } } : block);
  const all = (list: unknown) => (Array.isArray(list) ? list.map(mark) : list);
  const messages = Array.isArray(body.messages) ? body.messages : [];
  return {
    ...body,
    tools: all(body.tools),
    system: all(body.system),
    messages: messages.map((each) => (isObject(each) ? { ...each, content: all(each.content) } : each)),
  };
}

/** What perfect prefix caching pays for these requests. */
function perfect(bodies: readonly JsonObject[]): MeteredUsage[] {
  const model = { ...FAKE_MODELS.get(MODEL)!, minCacheableTokens: 1 };
  const meter = createMeter();
  const marked = bodies.map(markAll);
  return marked.map((body, index) => {
    const { usage, commit } = meter.charge(body, model, 0);
    commit();
    const fresh = meter.count(body) - usage.cache_read_input_tokens;
    const own = createMeter();
    own.charge(body, model, 0).commit();
    const later = marked.slice(index + 1).map((next) => own.charge(next, model, 0).usage.cache_read_input_tokens);
    const isLast = !isObject(body.tool_choice) || body.tool_choice.type === "none";
    const written = isLast ? Math.max(0, Math.max(0, ...later) - usage.cache_read_input_tokens) : fresh;
    return {
      ...usage,
      input_tokens: fresh - written,
      cache_creation_input_tokens: written,
      cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
    };
  });
}

let fake: FakeAnthropic;
let lanes = 0;
beforeAll(async () => {
  fake = await startFakeAnthropic();
});
afterAll(() => fake.stop());

async function converse(next: (n: number) => ScriptItem, options: MemoryOptions = {}): Promise<Lane> {
  lanes += 1;
  const apiKey = `caching-${lanes}`;
  const lane = fake.addLane(apiKey, {
    now: () => 0,
    handler: (request, n) => {
      const choice = isObject(request.tool_choice) ? request.tool_choice.type : "auto";
      return choice === "none" || request.tools === undefined ? text("So far, twelve rows.") : next(n);
    },
  });
  const model = createAnthropicModel({ apiKey, baseUrl: fake.url, info: infoOf(MODEL) });
  const run = createMemoryRun(model, { tools, limits: { max_steps: 12, max_hops: 60, budget_usd: 5 }, ...options });
  const pinned = { ...run.ports.journal.pinned(), system: systemText(SCHEMA) };
  const ports = { ...run.ports, journal: { ...run.ports.journal, pinned: () => pinned } };
  for (let step = 0; step < 40 && (await runStep(ports)).kind !== "finished"; step += 1) run.clock.now += 1;
  expect(run.state().ending).not.toBeNull();
  return lane;
}

function ratioOf(lane: Lane): { readonly perfect: number; readonly uncached: number; readonly prefix: number } {
  const info = infoOf(MODEL);
  const usages = lane.requests.flatMap((request) => (request.usage === null ? [] : [request.usage]));
  const bodies = lane.requests.map((request) => request.body);
  const paid = priceInput(usages, info);
  const meter = createMeter();
  const tokens = bodies.reduce((sum, body) => sum + meter.count(body), 0);
  const prefix = meter.count({ ...bodies[0], messages: [] });
  const ratio = {
    perfect: paid / priceInput(perfect(bodies), info),
    uncached: paid / (tokens * (info.tiers[0]?.input ?? 0)),
    prefix,
  };
  if (process.env.SHOW_RATIOS !== undefined) console.log(JSON.stringify(ratio));
  return ratio;
}

const answer = () => toolUse("final_answer", { answer: "Twelve rows.", results: ["r1"] });

describe("the input cost of a conversation", () => {
  it("of eight steps over a 3,000-token prefix is perfect caching's within 3 %, and under a quarter of the uncached", async () => {
    const lane = await converse((n) => (n < 7 ? query(n) : answer()));
    expect(lane.requests).toHaveLength(8);
    const ratio = ratioOf(lane);
    expect(ratio.prefix).toBeGreaterThan(2_700);
    expect(ratio.prefix).toBeLessThan(3_300);
    expect(ratio.perfect).toBeLessThanOrEqual(RATIO_MAX);
    expect(ratio.uncached).toBeLessThan(0.24);
  });

  it("with thinking and with five calls a step", async () => {
    const lane = await converse((n) => {
      if (n >= 7) return answer();
      return [thinking("Several at once."), ...Array.from({ length: 5 }, (_, index) => query(`${n}${index}`))];
    });
    expect(ratioOf(lane).perfect).toBeLessThanOrEqual(RATIO_MAX);
  });

  it("with more parallel calls than the vendor looks back blocks", async () => {
    const lane = await converse((n) =>
      n >= 3 ? answer() : Array.from({ length: 14 }, (_, index) => query(`${n}${index}`)),
    );
    expect(ratioOf(lane).perfect).toBeLessThanOrEqual(RATIO_MAX);
  });

  it("over a renewal of the transcript", async () => {
    const loop = {
      cycleWindow: 12,
      cyclePeriodMax: 4,
      cycleRepeats: 3,
      breakerFailures: 3,
      maxTokens: 8_192,
      critic: true,
    };
    const lane = await converse((n) => (n < 9 ? query(n) : answer()), {
      run: { loop: { ...loop, contextShare: 0.05 } },
    });
    const ratio = ratioOf(lane);
    expect(ratio.perfect).toBeLessThanOrEqual(RATIO_MAX);
  });

  it("that ends at a ceiling, with the last call of a tool choice of its own", async () => {
    const lane = await converse((n) => query(n), { limits: { max_steps: 8, max_hops: 60, budget_usd: 5 } });
    expect(lane.requests.at(-1)?.body.tool_choice).toEqual({ type: "none" });
    expect(ratioOf(lane).perfect).toBeLessThanOrEqual(RATIO_MAX);
  });

  it("that asks a critic, whose prompt nobody will read again", async () => {
    const same = query("same");
    const lane = await converse((n) => (n < 6 ? same : n < 9 ? query(n) : answer()));
    expect(lane.requests.some((request) => request.body.tools === undefined)).toBe(true);
    expect(ratioOf(lane).perfect).toBeLessThanOrEqual(RATIO_MAX);
  });

  it("with a reply that is cut off", async () => {
    const long = "Some words of an answer that goes on. ".repeat(20);
    const lane = await converse((n) => {
      if (n === 2) return message([text(long)], { stop_reason: "max_tokens" });
      return n < 8 ? query(n) : answer();
    });
    expect(ratioOf(lane).perfect).toBeLessThanOrEqual(RATIO_MAX);
  });

  it("never uses more than four marks, and none that the vendor would not keep", async () => {
    const lane = await converse((n) => (n < 7 ? query(n) : answer()));
    for (const request of lane.requests) {
      const marks = JSON.stringify(request.body).match(/"cache_control"/g)?.length ?? 0;
      expect(marks).toBeGreaterThan(0);
      expect(marks).toBeLessThanOrEqual(4);
      expect(request.fault).toBeNull();
    }
  });
});

interface Asked {
  /** Input dollars of all questions, in nano-dollars. */
  readonly inputNanoUsd: number;
  readonly usages: readonly MeteredUsage[];
  /** Of each model call: what was reserved, and what the vendor bills at its dearest region. */
  readonly calls: readonly { readonly reserved: number; readonly billed: number }[];
  readonly spent: readonly number[];
}

interface Asking {
  readonly id?: string;
  readonly tokenizer?: "bytes";
  readonly budgetUsd?: number;
}

const MINUTE_MS = 60_000;

/** One caller's questions, each so many minutes after the one before, on one cache whose clock only this moves. */
async function askAfter(minutes: readonly number[], prefixTtl: PrefixTtl, asking: Asking = {}): Promise<Asked> {
  lanes += 1;
  const apiKey = `caching-${lanes}`;
  const info = infoOf(asking.id ?? MODEL);
  let now = 0;
  let call = 0;
  const lane = fake.addLane(apiKey, {
    now: () => now,
    tokenizer: asking.tokenizer,
    handler: (request) => {
      const choice = isObject(request.tool_choice) ? request.tool_choice.type : "auto";
      if (choice === "none" || request.tools === undefined) return text("So far, twelve rows.");
      call += 1;
      return call < 3 ? query(`${call}`) : answer();
    },
  });
  const model = createAnthropicModel({ apiKey, baseUrl: fake.url, info, prefixTtl });
  const reserved: number[] = [];
  const spent: number[] = [];
  for (const [index, pause] of [0, ...minutes].entries()) {
    now += pause * MINUTE_MS;
    call = 0;
    const limits = { max_steps: 6, budget_usd: asking.budgetUsd ?? 5 };
    const run = createMemoryRun(model, { tools, limits, run: { question: `Question ${index}: how many?` } });
    const pinned = { ...run.ports.journal.pinned(), system: systemText(SCHEMA) };
    const ports = { ...run.ports, journal: { ...run.ports.journal, pinned: () => pinned } };
    for (let step = 0; step < 20 && (await runStep(ports)).kind !== "finished"; step += 1) run.clock.now += 1;
    expect(run.state().ending).not.toBeNull();
    spent.push(run.state().usage.costNanoUsd);
    for (const [at, event] of run.events().entries()) {
      if (event.type !== "model_replied") continue;
      const started = run
        .events()
        .slice(0, at)
        .findLast((earlier) => earlier.type === "step_started");
      reserved.push(started?.type === "step_started" ? started.reservedNanoUsd : 0);
    }
  }
  expect(lane.requests.map((request) => request.fault)).toEqual(lane.requests.map(() => null));
  const usages = lane.requests.flatMap((request) => (request.usage === null ? [] : [request.usage]));
  expect(reserved).toHaveLength(usages.length);
  const calls = usages.map((usage, index) => {
    const tokens = {
      input: usage.input_tokens,
      cacheWrite5m: usage.cache_creation.ephemeral_5m_input_tokens,
      cacheWrite1h: usage.cache_creation.ephemeral_1h_input_tokens,
      cacheRead: usage.cache_read_input_tokens,
      output: OUTPUT_TOKENS_MAX,
    };
    return { reserved: reserved[index] ?? 0, billed: priceUsage(info, tokens, REGION_MULTIPLIER) };
  });
  return { inputNanoUsd: priceInput(usages, info), usages, calls, spent };
}

/** More than any reply of these scripts has. */
const OUTPUT_TOKENS_MAX = 300;

describe("an hour for a caller's prefix", () => {
  it("costs less when two questions are ten minutes apart, and more when they are two minutes or two hours apart", async () => {
    const ratios: Record<number, number> = {};
    for (const minutes of [2, 10, 120]) {
      const [hour, five] = [await askAfter([minutes], "1h"), await askAfter([minutes], "5m")];
      ratios[minutes] = hour.inputNanoUsd / five.inputNanoUsd;
      expect(hour.usages).toHaveLength(6);
    }
    if (process.env.SHOW_RATIOS !== undefined) console.log(JSON.stringify(ratios));
    expect(ratios[2]).toBeGreaterThan(1.2);
    expect(ratios[10]).toBeLessThan(0.95);
    expect(ratios[120]).toBeGreaterThan(1.3);
  });

  it("is for tools and system text alone: what a conversation adds is written for five minutes", async () => {
    const { usages } = await askAfter([10], "1h");
    const prefix = usages[0]?.cache_creation.ephemeral_1h_input_tokens ?? 0;
    expect(prefix).toBeGreaterThan(2_700);
    expect(usages.map((usage) => usage.cache_creation.ephemeral_1h_input_tokens)).toEqual([prefix, 0, 0, 0, 0, 0]);
    expect(usages.every((usage) => usage.cache_creation.ephemeral_5m_input_tokens > 0)).toBe(true);
    expect(usages[3]?.cache_read_input_tokens).toBe(prefix);
  });

  it("pays from two in five: of ten questions that come later than five minutes, four within the hour, not three", async () => {
    const pauses = (within: number) => Array.from({ length: 9 }, (_, index) => (index < within ? 30 : 90));
    // The first question finds nothing, as one after an hour does. Questions in quick succession cost the same.
    const cheaper = async (minutes: readonly number[]) =>
      (await askAfter(minutes, "1h")).inputNanoUsd < (await askAfter(minutes, "5m")).inputNanoUsd;
    expect([await cheaper(pauses(3)), await cheaper(pauses(4))]).toEqual([false, true]);
    expect([await cheaper([1, 2, ...pauses(3)]), await cheaper([1, 2, ...pauses(4)])]).toEqual([false, true]);
  });

  it("pays from 38 to 39.5 % by the prices of every model of the table", () => {
    for (const id of KNOWN_MODEL_IDS) {
      for (const { cacheWrite5m, cacheWrite1h, cacheRead } of infoOf(id).tiers) {
        // p questions of 1 are read and the others written: p × read + (1 - p) × hour = five minutes.
        const share = (cacheWrite1h - cacheWrite5m) / (cacheWrite1h - cacheRead);
        expect(share).toBeGreaterThan(0.375);
        expect(share).toBeLessThanOrEqual(0.395);
      }
    }
  });

  it("G1: is reserved for at its own price: never less than what is billed, at a token a byte and the dearest region", async () => {
    for (const id of FAKE_MODELS.keys()) {
      for (const ttl of ["1h", "5m"] as const) {
        const { calls, usages } = await askAfter([2, 10, 120], ttl, { id, tokenizer: "bytes" });
        expect(calls).toHaveLength(12);
        for (const { reserved, billed } of calls) expect(reserved).toBeGreaterThanOrEqual(billed);
        const long = usages.filter((usage) => usage.cache_creation.ephemeral_1h_input_tokens > 0);
        expect(long).toHaveLength(ttl === "1h" ? 2 : 0);
      }
    }
  });

  it("G1: keeps a run within its budget, however small", async () => {
    for (const budgetUsd of [0.01, 0.06, 0.1, 0.14, 0.2]) {
      const { spent } = await askAfter([10, 120], "1h", { budgetUsd, tokenizer: "bytes" });
      for (const nano of spent) expect(nano).toBeLessThanOrEqual(budgetUsd * 1e9);
      if (budgetUsd >= 0.2) expect(Math.max(...spent)).toBeGreaterThan(0);
    }
  });
});
