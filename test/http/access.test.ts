import { describe, expect, test } from "vitest";
import type { PublicRun } from "../../src/agent/view.ts";
import { runHeaders } from "../../src/http/access.ts";
import { createRunId } from "../../src/http/run-id.ts";
import { CALLERS, createHarness, KEY } from "./harness.ts";

describe("ownRun", () => {
  test("another caller's id wakes no object, whatever is asked of it", async () => {
    const { request, runs } = createHarness({ QUERENT_CALLERS: CALLERS });
    const id = createRunId("bob", new Uint8Array(16));
    for (const path of ["", "/events", "/transcript", "/results/r1"]) {
      const response = await request(`/v1/runs/${id}${path}`, { headers: { authorization: `Bearer ${KEY}` } });
      expect(response.status).toBe(404);
    }
    expect(runs.size).toBe(0);
  });
});

describe("runHeaders", () => {
  const run = { status: "finished", outcome: "answered", grounded: false } as PublicRun;

  test("A29: a finished run says its outcome and whether it rests on rows; one that goes on says nothing yet", () => {
    expect(runHeaders(run)).toEqual({ "querent-outcome": "answered", "querent-grounded": "false" });
    expect(runHeaders({ ...run, status: "running", outcome: null })).toEqual({});
  });

  test("A14: the headers follow the stored outcome, never a text", () => {
    expect(runHeaders({ ...run, outcome: "failed", message: "Answered." })).toMatchObject({
      "querent-outcome": "failed",
    });
  });
});
