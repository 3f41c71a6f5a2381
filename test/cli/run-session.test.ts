import { describe, expect, it } from "vitest";
import { followToEnd } from "../../src/cli/run-session.ts";
import { aRun, eventStream, fakeDoor, problem } from "./fake-door.ts";

const finished = { type: "run_finished", outcome: "answered" };
const never = new AbortController().signal;

describe("one run to its end", () => {
  it("is followed, then read as it ended", async () => {
    const seen: string[] = [];
    const door = fakeDoor(eventStream([{ type: "run_started" }, finished]), Response.json(aRun()));
    expect(await followToEnd(door, "run_1", never, (event) => void seen.push(event.type))).toEqual({
      ok: true,
      value: aRun(),
    });
    expect(seen).toEqual(["run_started", "run_finished"]);
    expect(door.requests.map((request) => request.path)).toEqual(["/v1/runs/run_1/events", "/v1/runs/run_1"]);
  });

  it("is waited for when its events end before it does", async () => {
    const door = fakeDoor(
      new Response(null, { status: 204 }),
      Response.json(aRun({ status: "running" })),
      Response.json(aRun()),
    );
    expect(await followToEnd(door, "run_1", never, () => undefined)).toMatchObject({ value: { status: "finished" } });
    expect(door.requests).toHaveLength(3);
  });

  it("is cancelled when the person presses Ctrl-C, also while the worker is being started anew", async () => {
    const abort = new AbortController();
    abort.abort();
    const cancelled = aRun({ outcome: "cancelled", stop_reason: "cancelled", answer: null });
    const door = fakeDoor(new Error("connection refused"), Response.json(cancelled));
    expect(await followToEnd(door, "run_1", abort.signal, () => undefined)).toEqual({ ok: true, value: cancelled });
    expect(door.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /v1/runs/run_1/cancel",
      "POST /v1/runs/run_1/cancel",
    ]);
  });

  it("that ended just before the cancel is shown as it ended", async () => {
    const abort = new AbortController();
    abort.abort();
    const door = fakeDoor(problem(409, "The run is finished."), Response.json(aRun()));
    expect(await followToEnd(door, "run_1", abort.signal, () => undefined)).toEqual({ ok: true, value: aRun() });
  });

  it("that nobody knows is an error", async () => {
    const door = fakeDoor(problem(404, "There is no such run."));
    expect(await followToEnd(door, "run_1", never, () => undefined)).toEqual({
      ok: false,
      error: { status: 404, message: "Refused: There is no such run." },
    });
  });
});
