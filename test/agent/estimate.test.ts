import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EstimateInput, estimateRun, TOOLS_BYTES_MAX } from "../../src/agent/estimate.ts";
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX, type LimitsRequest, resolveLimits } from "../../src/agent/limits.ts";
import type { Database } from "../../src/sql/database.ts";
import { createDescribeTablesTool } from "../../src/tools/describe-tables.ts";
import { createExecuteSqlTool } from "../../src/tools/execute-sql.ts";
import { createFinalAnswerTool } from "../../src/tools/final-answer.ts";
import { createListTablesTool } from "../../src/tools/list-tables.ts";
import { createNotesTool } from "../../src/tools/notes.ts";
import { createPlanTool } from "../../src/tools/plan.ts";
import { createReadResultTool } from "../../src/tools/read-result.ts";
import { functionModel, PRICED, querying, saying } from "../fakes/function-model.ts";
import { createMemoryRun } from "../fakes/memory-run.ts";

function input(limits: LimitsRequest = {}, parts: Partial<EstimateInput> = {}): EstimateInput {
  const resolved = resolveLimits(limits, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX);
  if (!resolved.ok) throw new Error("the limits of the test are allowed");
  return { info: PRICED, question: "How many?", limits: resolved.value, schemaText: "table T (1 rows)", ...parts };
}

describe("the estimate of a question", () => {
  it("is at most the limit, and most likely far less", () => {
    const estimate = estimateRun(input());
    expect(estimate.worstCaseNanoUsd).toBe(500_000_000);
    expect(estimate.expectedNanoUsd).toBeGreaterThan(0);
    expect(estimate.expectedNanoUsd).toBeLessThan(100_000_000);
    expect(estimate.expectedPromptTokens).toBeLessThan(estimate.promptTokensMax);
  });

  it("says when not even the first call fits", () => {
    expect(estimateRun(input({ budget_usd: 0.001 })).firstCallNanoUsd).toBeNull();
    expect(estimateRun(input({ budget_usd: 0.001 })).keptBackNanoUsd).toBeLessThanOrEqual(1_000_000);
    expect(estimateRun(input()).firstCallNanoUsd).toBeGreaterThan(0);
  });

  it("grows with the schema, and of a free model is what its rows cost", () => {
    const small = estimateRun(input());
    const large = estimateRun(input({}, { schemaText: "table T (1 rows)\n".repeat(500) }));
    expect(large.expectedNanoUsd).toBeGreaterThan(small.expectedNanoUsd);
    expect(large.promptTokensMax - small.promptTokensMax).toBeGreaterThan(8_000);
    const free = {
      ...PRICED,
      tiers: [{ abovePromptTokens: 0, input: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 0 }],
    };
    const estimate = estimateRun(input({}, { info: free }));
    expect(estimate).toMatchObject({ expectedNanoUsd: 0, keptBackNanoUsd: 0, worstCaseNanoUsd: 5_000_000 });
  });

  it("keeps its order whatever the limits: expected and reserved are within the worst case (property)", () => {
    const budgets = fc.double({ min: 1e-6, max: 10, noNaN: true });
    fc.assert(
      fc.property(budgets, fc.integer({ min: 1, max: 128 }), fc.string(), (budget_usd, max_steps, schemaText) => {
        const estimate = estimateRun(input({ budget_usd, max_steps }, { schemaText }));
        expect(estimate.expectedNanoUsd).toBeLessThanOrEqual(estimate.worstCaseNanoUsd);
        expect(estimate.keptBackNanoUsd + (estimate.firstCallNanoUsd ?? 0)).toBeLessThanOrEqual(
          estimate.worstCaseNanoUsd,
        );
      }),
    );
  });

  it("A4: no run costs more than the worst case that was told", async () => {
    const model = functionModel((request, n) =>
      request.toolChoice === "none" ? saying("x") : querying(`SELECT ${n}`),
    );
    const run = createMemoryRun(model, { limits: { budget_usd: 0.2, max_steps: 50, max_hops: 50 } });
    await run.finish();
    const { worstCaseNanoUsd } = estimateRun(input({ budget_usd: 0.2, max_steps: 50, max_hops: 50 }));
    expect(run.state().usage.costNanoUsd).toBeLessThanOrEqual(worstCaseNanoUsd + run.state().usage.rowsOverrun);
  });

  it("bounds the tools of this release", () => {
    const database = {} as Database;
    const tools = [
      createListTablesTool(database),
      createDescribeTablesTool(database),
      createExecuteSqlTool(database),
      createReadResultTool(),
      createFinalAnswerTool(),
      createNotesTool(),
      createPlanTool(),
    ].map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
    expect(Buffer.byteLength(JSON.stringify(tools)) + 1_000).toBeLessThan(TOOLS_BYTES_MAX);
  });
});
