import { describe, expect, it } from "vitest";
import { followRun } from "../../src/cli/run-events.ts";
import { eventStream, type FakeDoor, fakeDoor } from "./fake-door.ts";

const started = { type: "run_started", at: "2026-11-30T12:00:00.000Z" };
const step = (number: number) => ({ type: "step_started", step: number, note: "größer\nzwei" });
const finished = { type: "run_finished", outcome: "answered" };

async function typesOf(door: FakeDoor, signal = new AbortController().signal): Promise<string[]> {
  const types: string[] = [];
  for await (const event of followRun(door, "run_1", signal)) types.push(`${event.type} ${event.step ?? ""}`.trim());
  return types;
}

describe("following a run", () => {
  it("yields every event in order, whatever the pieces it comes in, and ends with run_finished", async () => {
    const door = fakeDoor(eventStream([started, step(1), { type: "unheard_of" }, finished, step(9)]));
    expect(await typesOf(door)).toEqual(["run_started", "step_started 1", "unheard_of", "run_finished"]);
    expect(door.requests).toHaveLength(1);
    expect(door.requests[0]?.path).toBe("/v1/runs/run_1/events");
  });

  it("goes on after the last whole event when the stream breaks or the worker is away for a moment", async () => {
    const door = fakeDoor(
      eventStream([started, step(1)], { cut: true }),
      new Error("connection refused"),
      new Response("", { status: 503 }),
      eventStream([step(2), finished], { first: 3 }),
    );
    expect(await typesOf(door)).toEqual(["run_started", "step_started 1", "step_started 2", "run_finished"]);
    expect(door.requests.map((request) => request.headers.get("last-event-id"))).toEqual([null, "2", "2", "2"]);
  });

  it("ends when there is nothing more to come or no such run", async () => {
    expect(await typesOf(fakeDoor(new Response(null, { status: 204 })))).toEqual([]);
    expect(await typesOf(fakeDoor(new Response("", { status: 404 })))).toEqual([]);
  });

  it("ends at once when it is aborted", async () => {
    const abort = new AbortController();
    const door = fakeDoor(() => {
      abort.abort();
      throw new Error("aborted");
    });
    expect(await typesOf(door, abort.signal)).toEqual([]);
    expect(door.requests).toHaveLength(1);
  });
});
