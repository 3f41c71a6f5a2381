import { describe, expect, it } from "vitest";
import { estimateSchema } from "../../src/http/estimate.ts";
import { CALLERS, createHarness, KEY, putDatabase, readProblem } from "./harness.ts";

const key = { authorization: `Bearer ${KEY}` };

function harness() {
  const made = createHarness({ QUERENT_CALLERS: CALLERS, ANTHROPIC_API_KEY: "k" });
  putDatabase(made);
  return made;
}

describe("POST /v1/estimate", () => {
  it("tells worst and likely dollars, and opens no run and holds nothing", async () => {
    const { post, runs, callers } = harness();
    const body = { question: "How many?", model: "claude-sonnet-5-5", limits: { budget_usd: 0.3 } };
    const response = await post("/v1/estimate", body, key);
    expect(response.status).toBe(200);
    const estimate = estimateSchema.parse(await response.json());
    expect(estimate).toMatchObject({ model: "claude-sonnet-5-5", worst_case_usd: 0.3 });
    expect(estimate.expected_usd).toBeGreaterThan(0.001);
    expect(estimate.expected_usd).toBeLessThan(0.1);
    expect(estimate.first_call_usd).toBeGreaterThan(estimate.expected_usd);
    expect(runs.size).toBe(0);
    // Not even asked: the caller object is where money is held.
    expect(callers.size).toBe(0);
  });

  it("of the offline model is the rows at most, and nothing most likely", async () => {
    const { post } = harness();
    const estimate = await (await post("/v1/estimate", { question: "How many?", model: "offline" }, key)).json();
    expect(estimate).toMatchObject({ model: "offline", expected_usd: 0, kept_back_usd: 0, worst_case_usd: 0.005 });
  });

  it("refuses what asking would refuse: no key, a field too many, a limit above the maximum", async () => {
    const { post } = harness();
    expect((await post("/v1/estimate", { question: "How many?" })).status).toBe(401);
    expect(await readProblem(await post("/v1/estimate", { question: "How many?", mode: "auto" }, key))).toMatchObject({
      code: "invalid_request",
    });
    const above = { question: "How many?", limits: { budget_usd: 2 } };
    expect(await readProblem(await post("/v1/estimate", above, key))).toMatchObject({ code: "limit_above_maximum" });
  });
});
