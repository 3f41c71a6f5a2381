import { describe, expect, test } from "vitest";
import { createHarness, readProblem } from "./harness.ts";

describe("POST /v1/runs/:id/steps", () => {
  test("runs exactly one step of a manual run each time, and is 409 after the end", async () => {
    const { ask, post, runs } = createHarness();
    const id = await ask({ mode: "manual" });
    const first = await post(`/v1/runs/${id}/steps`, {});
    expect(first.status).toBe(200);
    expect(await first.json()).toMatchObject({ status: "running", usage: { steps: 1 } });
    const second = await post(`/v1/runs/${id}/steps`, {});
    expect(await second.json()).toMatchObject({ status: "finished", usage: { steps: 2 } });
    const third = await post(`/v1/runs/${id}/steps`, {});
    expect(third.status).toBe(409);
    expect(await readProblem(third)).toMatchObject({ code: "run_finished", outcome: "answered", stop_reason: "done" });
    expect(runs.get(id)?.calls.filter((call) => call === "step")).toHaveLength(2);
  });

  test("is 409 for a run that drives itself", async () => {
    const { ask, post, runs } = createHarness();
    const id = await ask();
    const response = await post(`/v1/runs/${id}/steps`, {});
    expect(response.status).toBe(409);
    expect((await readProblem(response)).code).toBe("run_not_manual");
    expect(runs.get(id)?.calls).not.toContain("step");
  });

  test("is 409 with Retry-After while another step runs, or the run waits", async () => {
    const { ask, post, runs } = createHarness();
    const id = await ask({ mode: "manual" });
    const run = runs.get(id);
    run?.script.push("busy", "waiting");
    run!.waitingUntil = "2026-11-30T12:00:30.200Z";
    const busy = await post(`/v1/runs/${id}/steps`, {});
    expect([busy.status, busy.headers.get("retry-after")]).toEqual([409, "1"]);
    expect((await readProblem(busy)).code).toBe("run_busy");
    const waiting = await post(`/v1/runs/${id}/steps`, {});
    expect([waiting.status, waiting.headers.get("retry-after")]).toEqual([409, "31"]);
    expect((await readProblem(waiting)).code).toBe("run_waiting");
  });
});

describe("POST /v1/runs/:id/cancel", () => {
  test("J5: cancels, twice is the same as once", async () => {
    const { ask, post } = createHarness();
    const id = await ask();
    const first = await post(`/v1/runs/${id}/cancel`, {});
    expect(first.status).toBe(200);
    const run = await first.json();
    expect(run).toMatchObject({ status: "finished", outcome: "cancelled", failed: true, answer: null });
    const again = await post(`/v1/runs/${id}/cancel`, {});
    expect(again.status).toBe(200);
    expect(await again.json()).toEqual(run);
  });

  test("J5: after another end it is 409 and changes nothing", async () => {
    const { ask, post, runs, request } = createHarness();
    const id = await ask();
    runs.get(id)?.end("stopped", "max_steps");
    const response = await post(`/v1/runs/${id}/cancel`, {});
    expect(response.status).toBe(409);
    expect(await readProblem(response)).toMatchObject({ code: "run_finished", outcome: "stopped" });
    expect(await (await request(`/v1/runs/${id}`)).json()).toMatchObject({ outcome: "stopped" });
  });
});

describe("a run that is over", () => {
  test.each([
    ["answered", "done", "The run is over: answered. Nothing was changed."],
    ["cancelled", "cancelled", "The run is over: cancelled. Nothing was changed."],
    ["stopped", "max_steps", "The run is over: stopped (max_steps). Nothing was changed."],
  ] as const)("%s, %s: says so once", async (outcome, reason, detail) => {
    const { ask, post, runs } = createHarness();
    const id = await ask({ mode: "manual" });
    runs.get(id)?.end(outcome, reason);
    expect((await readProblem(await post(`/v1/runs/${id}/steps`, {}))).detail).toBe(detail);
  });
});

describe("a decision", () => {
  const APPROVAL = { approval: "a1", decision: "approve" };

  test("C45: goes to the run with who decided, and is answered with the run", async () => {
    const { ask, post, runs } = createHarness();
    const id = await ask();
    const declined = { approval: "a1", decision: "decline", note: "  Only 2025.  " };
    const response = await post(`/v1/runs/${id}/approve`, declined);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id });
    const by = "local";
    expect(runs.get(id)?.decided).toEqual({ approval: "a1", decision: "declined", note: "Only 2025.", by });
    await post(`/v1/runs/${id}/approve`, { ...APPROVAL, note: "  " });
    expect(runs.get(id)?.decided).toEqual({ approval: "a1", decision: "approved", note: null, by });
  });

  test("C47: on what is not asked any more is a 409 that names what is", async () => {
    const { ask, post, runs } = createHarness();
    const id = await ask();
    const object = runs.get(id)!;
    const nothing = { kind: "not_waiting", run: object.run! } as const;
    object.decideReply = nothing;
    const response = await post(`/v1/runs/${id}/approve`, APPROVAL);
    expect(response.status).toBe(409);
    expect(await readProblem(response)).toMatchObject({
      code: "run_not_waiting",
      detail: "The run waits for nobody. Nothing was changed.",
    });
    const approval = { id: "a2", queries: [] };
    const since = "2026-11-30T00:00:00.000Z";
    const waiting = { kind: "approval", since, until: "2026-12-01T00:00:00.000Z", approval, inquiry: null } as const;
    object.decideReply = { ...nothing, run: { ...nothing.run, status: "waiting", waiting } };
    expect((await readProblem(await post(`/v1/runs/${id}/approve`, APPROVAL))).detail).toContain("(a2)");
  });

  test("is what a manual step is told to wait for", async () => {
    const { ask, post, runs } = createHarness();
    const id = await ask({ mode: "manual" });
    Object.assign(runs.get(id)!, { waitingKind: "approval" }).script.push("waiting");
    const response = await post(`/v1/runs/${id}/steps`, {});
    expect([response.status, response.headers.get("retry-after")]).toEqual([409, null]);
    expect((await readProblem(response)).detail).toContain("waits for a decision");
  });

  test.each([
    [{}, "#/approval"],
    [{ ...APPROVAL, decision: "yes" }, "#/decision"],
    [{ ...APPROVAL, approval: "" }, "#/approval"],
    [{ ...APPROVAL, note: "x".repeat(501) }, "#/note"],
    [{ ...APPROVAL, who: "me" }, "#/who"],
  ])("%j is a 400 that points to %s", (body, pointer) => expectWrong("approve", body, pointer));
});

/** A word that is refused where it is wrong, and never reaches the run. */
async function expectWrong(action: "approve" | "reply", body: object, pointer: string): Promise<void> {
  const { ask, post, runs } = createHarness();
  const id = await ask();
  const response = await post(`/v1/runs/${id}/${action}`, body);
  expect(response.status).toBe(400);
  const { errors } = (await readProblem(response)) as unknown as { errors: { pointer: string }[] };
  expect(errors.map((each) => each.pointer)).toContain(pointer);
  expect(runs.get(id)?.decided).toBeNull();
}

const BODIES: { readonly [action: string]: object } = {
  approve: { approval: "a1", decision: "approve" },
  reply: { inquiry: "q1", reply: "Revenue" },
};

describe("an answer", () => {
  test("goes to the run with who gave it, in one of the options or in other words", async () => {
    const { ask, post, runs } = createHarness();
    const id = await ask();
    const response = await post(`/v1/runs/${id}/reply`, { inquiry: "q1", reply: "  By revenue.  " });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id });
    expect(runs.get(id)?.decided).toEqual({ inquiry: "q1", reply: "By revenue.", by: "local" });
  });

  test.each([
    [{}, "#/inquiry"],
    [{ inquiry: "q1", reply: "   " }, "#/reply"],
    [{ inquiry: "q1", reply: 5 }, "#/reply"],
    [{ inquiry: "q1", reply: "x".repeat(2_001) }, "#/reply"],
    [{ inquiry: "", reply: "x" }, "#/inquiry"],
  ])("%j is a 400 that points to %s", (body, pointer) => expectWrong("reply", body, pointer));

  test("on what is not asked any more is a 409 that names what is", async () => {
    const { ask, post, runs } = createHarness();
    const id = await ask();
    const object = runs.get(id)!;
    const [since, until] = ["2026-11-30T00:00:00.000Z", "2026-12-01T00:00:00.000Z"];
    const inquiry = { id: "q2", question: "Which?", options: ["a", "b"] };
    const waiting = { kind: "reply", since, until, approval: null, inquiry } as const;
    object.decideReply = { kind: "not_waiting", run: { ...object.run!, status: "waiting", waiting } };
    const response = await post(`/v1/runs/${id}/reply`, { inquiry: "q1", reply: "a" });
    expect(response.status).toBe(409);
    expect((await readProblem(response)).detail).toContain("(q2)");
  });
});

describe("a run that is not there", () => {
  test("is 404 for every action, also when its id is one of ours", async () => {
    const { ask, post, runs } = createHarness();
    const id = await ask();
    runs.get(id)!.run = null;
    for (const action of ["steps", "cancel", "continue", "fork", "reply", "approve"]) {
      const body = BODIES[action] ?? {};
      const response = await post(`/v1/runs/${id}/${action}`, body);
      expect([action, response.status]).toEqual([action, 404]);
    }
  });
});
