import { describe, expect, it } from "vitest";
import {
  approveRun,
  cancelRun,
  checkHealth,
  createRun,
  getResult,
  getRun,
  isWrongCall,
  replyToRun,
} from "../../src/cli/run-client.ts";
import { aRun, fakeDoor, problem } from "./fake-door.ts";

const NOBODY = { approveAboveRows: null, mayAsk: false };
const request = { question: "How many tracks?", model: null, budgetUsd: null, maxSteps: null, ...NOBODY };

describe("asking over HTTP", () => {
  it("sends only what was said on the command line", async () => {
    const door = fakeDoor(Response.json(aRun({ status: "running" }), { status: 202 }));
    await createRun(door, request);
    await createRun(door, { ...request, model: "offline", budgetUsd: 0.25, maxSteps: 3 });
    expect(door.requests.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
      { method: "POST", path: "/v1/runs", body: { question: "How many tracks?" } },
      {
        method: "POST",
        path: "/v1/runs",
        body: { question: "How many tracks?", model: "offline", limits: { budget_usd: 0.25, max_steps: 3 } },
      },
    ]);
  });

  it("asks for a yes and to be asked back, and sends both words", async () => {
    const door = fakeDoor(Response.json(aRun({ status: "running" })));
    await createRun(door, { ...request, approveAboveRows: 0, mayAsk: true });
    await approveRun(door, "run_1", { approval: "a1", decision: "decline", note: "No." });
    await replyToRun(door, "run_1", { inquiry: "q1", reply: "Revenue" });
    expect(door.requests.map(({ path, body }) => [path, body])).toEqual([
      ["/v1/runs", { question: "How many tracks?", approve_above_rows: 0, may_ask: true }],
      ["/v1/runs/run_1/approve", { approval: "a1", decision: "decline", note: "No." }],
      ["/v1/runs/run_1/reply", { inquiry: "q1", reply: "Revenue" }],
    ]);
  });

  it("keeps fields that it does not know, for --json", async () => {
    const read = await getRun(fakeDoor(Response.json({ ...aRun(), brand_new: { deep: 1 } })), "run_1");
    expect(read).toMatchObject({ ok: true, value: { id: "run_1", brand_new: { deep: 1 } } });
  });

  it("reads a page of rows and how many there are in all", async () => {
    const page = {
      ref: "r1",
      columns: ["n"],
      rows: [[1]],
      from_row: 1,
      stored_rows: 500,
      total_rows: null,
      truncated: true,
    };
    const door = fakeDoor(Response.json(page), Response.json({ ...page, total_rows: 2155 }));
    expect(await getResult(door, "run_1", "r1")).toEqual({
      ok: true,
      value: { columns: ["n"], rows: [[1]], totalRows: 500, truncated: true },
    });
    expect(await getResult(door, "run_1", "r1")).toMatchObject({ value: { totalRows: 2155, truncated: false } });
    expect(door.requests[0]?.path).toBe("/v1/runs/run_1/results/r1");
  });

  it("an id from the command line stays one segment of the path", async () => {
    const door = fakeDoor(problem(404, "There is no such run."));
    await cancelRun(door, "../../healthz?x");
    expect(door.requests[0]).toMatchObject({ method: "POST", path: "/v1/runs/..%2F..%2Fhealthz%3Fx/cancel" });
  });
});

describe("a refusal", () => {
  it.each([
    ["#/question", "#/question"],
    ["#/model", "--model"],
    ["#/limits/budget_usd", "--budget"],
    ["#/limits/max_steps", "--max-steps"],
  ])("says what was wrong and where: %s is told as %s", async (pointer, told) => {
    const errors = [{ detail: "must be above 0", pointer }];
    expect(await createRun(fakeDoor(problem(400, "The body is not valid.", { errors })), request)).toEqual({
      ok: false,
      error: { status: 400, message: `Refused: The body is not valid.\n${told}: must be above 0` },
    });
  });

  it("names the setting when the worker is not configured correctly", async () => {
    const door = fakeDoor(problem(503, "QUERENT_TYPO is not a setting. Remove it.", { code: "not_configured" }));
    expect(await checkHealth(door)).toEqual({
      ok: false,
      error: { status: 503, code: "not_configured", message: "Refused: QUERENT_TYPO is not a setting. Remove it." },
    });
  });

  it.each([
    [400, "invalid_request", true],
    [413, "body_too_large", true],
    [422, "model_not_available", true],
    [503, "not_configured", true],
    [503, "unavailable", false],
    [500, "internal", false],
    [429, "rate_limited", false],
    [null, undefined, false],
  ])("%s %s is a wrong call: %s", (status, code, expected) => {
    expect(isWrongCall({ status, message: "x", ...(code !== undefined && { code }) })).toBe(expected);
  });

  it.each([
    ["a broken connection", new Error("fetch failed"), null, /did not answer \(fetch failed\)/],
    ["a page that is no problem document", new Response("<html>", { status: 502 }), 502, /answered with status 502/],
    ["text that is no JSON", new Response("oops"), null, /did not answer/],
    ["another shape", Response.json({ id: 1 }), null, /not as expected/],
  ])("is an error value for %s", async (_what, reply, status, message) => {
    expect(await getRun(fakeDoor(reply), "run_1")).toEqual({
      ok: false,
      error: { status, message: expect.stringMatching(message) },
    });
  });
});
