import { describe, expect, test } from "vitest";
import { createHarness } from "./harness.ts";

const ASK = { question: "How many?" };

describe("the answer to a request that opens a run", () => {
  test("is 202 without waiting, with the run's address, the rate, and no granted preference", async () => {
    const { post } = createHarness();
    const response = await post("/v1/runs", ASK);
    const run = (await response.json()) as { id: string };
    expect(response.status).toBe(202);
    expect(response.headers.get("location")).toBe(`/v1/runs/${run.id}`);
    expect(response.headers.get("ratelimit")).toBe('"questions";r=5999;t=30');
    for (const name of ["preference-applied", "idempotency-expires", "querent-outcome"]) {
      expect(response.headers.get(name)).toBeNull();
    }
  });

  test("grants no more than the longest wait, and says so", async () => {
    const { post } = createHarness();
    const response = await post("/v1/runs", ASK, { prefer: "wait=100000" });
    expect(response.headers.get("preference-applied")).toBe("wait=300");
  });

  test("a run that is finished already, as one asked for again by its key, is 200 without a step", async () => {
    const { post, runs } = createHarness();
    const headers = { "idempotency-key": '"k"', prefer: "wait=10" };
    await post("/v1/runs", ASK, headers);
    const [run] = runs.values();
    const steps = run?.calls.filter((call) => call === "step").length;
    expect((await post("/v1/runs", ASK, headers)).status).toBe(200);
    expect(run?.calls.filter((call) => call === "step")).toHaveLength(steps ?? -1);
  });
});
