/**
 * What each mechanism of recovery is worth, on a scripted set: models that fail in one way until the mechanism reaches
 * them. Each is run with the mechanism on and off. The table in README is what this test computes.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULT_LOOP, type LoopSettings } from "../src/agent/cycles.ts";
import type { Model, ModelOutcome, ModelRequest } from "../src/agent/model.ts";
import type { Tool } from "../src/agent/tool.ts";
import { ok } from "../src/lib/result.ts";
import { createNotesTool } from "../src/tools/notes.ts";
import { createPlanTool } from "../src/tools/plan.ts";
import { answering, calling, functionModel, PRICED, querying, replied, saying } from "./fakes/function-model.ts";
import { createMemoryRun, finalAnswerTool, type MemoryOptions, queryTool } from "./fakes/memory-run.ts";

const query = queryTool((sql) => {
  if (sql.startsWith("bad") || sql.includes("wrong")) return new Error("no such column: x");
  return { columns: ["sql"], rows: [[sql]] };
});
const tools = [query, finalAnswerTool];
/** A query that belongs to no family, so that nobody counts its failures together. */
const loneQuery = without(query, "family");
/** A plan that is taken at once, without a brainstorm. */
const openPlan = without(createPlanTool(), "gate");

/** The tool with one mechanism taken out. */
function without(tool: Tool, mechanism: "family" | "gate"): Tool {
  const { name, description, inputSchema } = tool;
  return {
    name,
    description,
    inputSchema,
    check: (input) => {
      const checked = tool.check(input);
      if (!checked.ok) return checked;
      const call = checked.value;
      if (mechanism === "family") return ok({ ...call, family: () => [] });
      return ok({ ...call, run: (context) => call.run({ ...context, memo: { ...context.memo, brainstormed: true } }) });
    },
  };
}
const holds = (request: ModelRequest, words: string): boolean => JSON.stringify(request.messages).includes(words);
const isTold = (request: ModelRequest): boolean => request.toolChoice === "none";
const isCritic = (request: ModelRequest): boolean => request.system.includes("advise");

/** A model that does `habit` until `isHelped`, and then answers. */
function until(isHelped: (request: ModelRequest) => boolean, habit: (call: number) => ModelOutcome): Model {
  let calls = 0;
  return functionModel((request) => {
    if (isCritic(request)) return saying("Ask table B.");
    if (isTold(request)) return saying("So far.");
    return isHelped(request) ? answering("Done.", ["r1"]) : habit(calls++);
  });
}

/** Its replies fill a small window; it answers once the conversation has been begun anew. */
function forgetful(): Model {
  const large = { ...PRICED, contextWindow: 4_000 };
  return functionModel((request, call) => {
    if (isTold(request)) return saying("So far.");
    const used = JSON.stringify(request.messages).length;
    if (used > 3_600) return replied({ text: "" }, "max_tokens");
    const reply = holds(request, "goes on from an earlier conversation")
      ? answering("Done.")
      : querying(`SELECT ${call} ${"x".repeat(300)}`);
    if (reply.kind !== "reply") return reply;
    return { kind: "reply", reply: { ...reply.reply, usage: { ...reply.reply.usage, input: used } } };
  }, large);
}

/** It plans at once and gets it wrong, unless it is made to think of other ways first. */
function hasty(): Model {
  const brainstorm = { difficulty: "Two joins.", approaches: ["join", "subquery"], pitfalls: "NULLs." };
  return functionModel((request, call) => {
    if (isTold(request)) return saying("So far.");
    if (call === 0) return calling(["plan", { items: ["join both"] }]);
    if (holds(request, "The plan has 2 items")) return answering("Done.");
    if (holds(request, "Noted.")) return calling(["plan", { items: ["look", "count"] }]);
    if (holds(request, "think the question through")) return calling(["notes", { brainstorm }]);
    return querying(`SELECT wrong_${call} FROM t${call}`);
  });
}

const CASES: readonly {
  readonly mechanism: string;
  readonly off: Partial<LoopSettings>;
  /** What a run has with the mechanism and without it, beside the settings. */
  readonly options?: { readonly on: Partial<MemoryOptions>; readonly off: Partial<MemoryOptions> };
  readonly models: readonly (() => Model)[];
}[] = [
  {
    mechanism: "cycle guidance",
    off: { cycleRepeats: 16, critic: false },
    models: [
      () =>
        until(
          (request) => holds(request, "repeating yourself"),
          () => querying("A"),
        ),
      () =>
        until(
          (request) => holds(request, "repeating yourself"),
          (call) => querying(call % 2 === 0 ? "A" : "B"),
        ),
      () =>
        until(
          (request) => holds(request, "repeating yourself"),
          (call) => querying(["A", "B", "C"][call % 3] ?? "A"),
        ),
    ],
  },
  {
    mechanism: "fresh perspective",
    off: { critic: false },
    models: [
      () =>
        until(
          (request) => holds(request, "<advice>"),
          () => querying("A"),
        ),
      () =>
        until(
          (request) => holds(request, "<advice>"),
          (call) => querying(call % 2 === 0 ? "A" : "B"),
        ),
    ],
  },
  {
    mechanism: "breaker",
    off: { breakerFailures: 16 },
    models: [
      () =>
        until(
          (request) => holds(request, "Change the approach"),
          (call) => calling(["execute_read_only_sql", { sql: call % 2 === 0 ? "bad" : `good ${call}` }]),
        ),
    ],
  },
  { mechanism: "fresh transcript", off: { contextShare: 1 }, models: [forgetful] },
  {
    mechanism: "more room after a cut-off",
    off: {},
    options: { on: {}, off: { run: { maxTokensMax: DEFAULT_LOOP.maxTokens } } },
    models: [
      () =>
        functionModel((request) =>
          request.maxTokens > 20_000 ? answering("Done.") : replied({ hasThinking: true }, "max_tokens"),
        ),
    ],
  },
  {
    mechanism: "hint at failing tables",
    off: {},
    options: { on: {}, off: { tools: [loneQuery, finalAnswerTool] } },
    models: [
      () =>
        until(
          (request) => holds(request, "second failure of a query over"),
          (call) => querying(`SELECT wrong_${call} FROM t`),
        ),
    ],
  },
  {
    mechanism: "brainstorm before a plan",
    off: {},
    options: {
      on: { tools: [...tools, createNotesTool(), createPlanTool()] },
      off: { tools: [...tools, createNotesTool(), openPlan] },
    },
    models: [hasty],
  },
];

async function measure(models: readonly (() => Model)[], loop: LoopSettings, options: Partial<MemoryOptions> = {}) {
  let answered = 0;
  let calls = 0;
  for (const create of models) {
    const run = createMemoryRun(create(), {
      tools,
      limits: { max_hops: 12, max_steps: 14, max_errors: 8, budget_usd: 2 },
      ...options,
      run: { loop, ...options.run },
    });
    await run.finish();
    answered += Number(run.state().ending?.outcome === "answered");
    calls += run.state().usage.modelCalls;
  }
  return { answered, calls };
}

describe("ablation", () => {
  it("B41, B45: each mechanism saves answers that are lost without it, and the table in README says how many", async () => {
    const rows: string[] = [];
    for (const { mechanism, off, options, models } of CASES) {
      const on = await measure(models, DEFAULT_LOOP, options?.on);
      const without = await measure(models, { ...DEFAULT_LOOP, ...off }, options?.off);
      expect(on.answered, mechanism).toBeGreaterThan(without.answered);
      rows.push(
        `| ${mechanism} | ${on.answered} of ${models.length} | ${without.answered} of ${models.length} | ${on.calls} | ${without.calls} |`,
      );
    }
    console.log(rows.join("\n"));
    const readme = readFileSync("README.md", "utf8");
    for (const row of rows) expect(readme).toContain(row);
  });
});
