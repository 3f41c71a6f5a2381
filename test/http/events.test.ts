import { describe, expect, test } from "vitest";
import { createHarness, readProblem } from "./harness.ts";

interface ReadEvent {
  readonly id: string | null;
  readonly event: string | null;
  readonly data: string | null;
}

/** Events and comments of a stream, as the standard's parser would see them. */
function parse(text: string): { events: ReadEvent[]; comments: string[] } {
  const blocks = text.split("\n\n").filter((block) => block !== "");
  const field = (block: string, name: string): string | null =>
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null;
  return {
    events: blocks
      .filter((block) => field(block, "data") !== null)
      .map((block) => ({ id: field(block, "id"), event: field(block, "event"), data: field(block, "data") })),
    comments: blocks.filter((block) => block.startsWith(":")),
  };
}

async function finishedRun() {
  const harness = createHarness();
  const id = await harness.ask();
  const run = harness.runs.get(id)!;
  await run.step();
  await run.step();
  return { ...harness, id, run };
}

describe("GET /v1/runs/:id/events", () => {
  test("gives every event with its number and type, and ends with the run", async () => {
    const { request, id, run } = await finishedRun();
    const response = await request(`/v1/runs/${id}/events`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store, no-transform");
    const { events } = parse(await response.text());
    expect(events.map(({ id: number, event }) => [number, event])).toEqual([
      ["1", "run_started"],
      ["2", "step_finished"],
      ["3", "step_finished"],
      ["4", "run_finished"],
    ]);
    expect(events.map(({ data }) => JSON.parse(data ?? ""))).toEqual(run.events.map(({ event }) => event));
  });

  test("J3: reconnecting at any point, by header or parameter, goes on with no gap and no repeat", async () => {
    const { request, id } = await finishedRun();
    for (const after of [0, 1, 2, 3]) {
      const wanted = [1, 2, 3, 4].slice(after).map(String);
      const byHeader = await request(`/v1/runs/${id}/events`, { headers: { "last-event-id": String(after) } });
      expect(parse(await byHeader.text()).events.map((event) => event.id)).toEqual(wanted);
      const byQuery = await request(`/v1/runs/${id}/events?last_event_id=${after}`);
      expect(parse(await byQuery.text()).events.map((event) => event.id)).toEqual(wanted);
    }
  });

  test("J3: the header, which a reconnecting browser sends, wins over the parameter in the address", async () => {
    const { request, id } = await finishedRun();
    const response = await request(`/v1/runs/${id}/events?last_event_id=0`, { headers: { "last-event-id": "3" } });
    expect(parse(await response.text()).events.map((event) => event.id)).toEqual(["4"]);
  });

  test("who has read the last event of a finished run is told to stay away", async () => {
    const { request, id } = await finishedRun();
    const response = await request(`/v1/runs/${id}/events`, { headers: { "last-event-id": "4" } });
    expect(response.status).toBe(204);
  });

  test("an empty id means from the start, as a browser that never got one sends it", async () => {
    const { request, id } = await finishedRun();
    const response = await request(`/v1/runs/${id}/events`, { headers: { "last-event-id": "" } });
    expect(parse(await response.text()).events).toHaveLength(4);
  });

  test.each(["5", "999", "-1", "abc", "1.5", "1e1", "0x1", "99999999999999999999", "1, 2", "１"])(
    "J3: the odd id %j is answered with 400",
    async (odd) => {
      const { request, id } = await finishedRun();
      const response = await request(`/v1/runs/${id}/events?last_event_id=${encodeURIComponent(odd)}`);
      expect(response.status).toBe(400);
      const problem = await readProblem(response);
      expect(problem.code).toBe("invalid_event_id");
      // A number that is too large is one all the same.
      expect(problem.detail).toContain(/^[0-9]+$/.test(odd) ? "The run has 4 events so far." : "is a whole number.");
    },
  );

  test("while nothing happens a comment without an id keeps the stream alive; nothing is asked for unread", async () => {
    const { request, ask, runs } = createHarness();
    const id = await ask();
    const run = runs.get(id)!;
    const response = await request(`/v1/runs/${id}/events`);
    const polls = () => run.calls.filter((call) => call.startsWith("eventsAfter")).length;
    expect(polls()).toBe(1);
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    const read = async () => decoder.decode((await reader.read()).value);
    expect(await read()).toBe("retry: 1000\n\n");
    expect(parse(await read()).events.map((event) => event.id)).toEqual(["1"]);
    expect(polls()).toBe(1);
    expect(await read()).toBe(": keep-alive\n\n");
    expect(run.calls.at(-1)).toBe("eventsAfter 1 15000");
    await run.step();
    expect(parse(await read()).events.map((event) => event.id)).toEqual(["2"]);
    await run.step();
    expect(parse(await read()).events.map((event) => event.id)).toEqual(["3", "4"]);
    expect((await reader.read()).done).toBe(true);
  });

  test("a reader that goes away costs no further poll", async () => {
    const { request, ask, runs } = createHarness();
    const id = await ask();
    const response = await request(`/v1/runs/${id}/events`);
    const reader = response.body!.getReader();
    await reader.read();
    const before = runs.get(id)!.calls.length;
    await reader.cancel();
    await new Promise((resolve) => setImmediate(resolve));
    expect(runs.get(id)!.calls).toHaveLength(before);
  });

  test("when the object is restarted the stream just ends: the client comes back by itself", async () => {
    const { request, ask, runs } = createHarness();
    const id = await ask();
    const response = await request(`/v1/runs/${id}/events`);
    runs.get(id)!.eventsAfter = () => Promise.reject(new Error("reset because its code was updated"));
    expect(parse(await response.text()).events.map((event) => event.id)).toEqual(["1"]);
  });

  test("HEAD asks once and streams nothing", async () => {
    const { request, id, run } = await finishedRun();
    const response = await request(`/v1/runs/${id}/events`, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
    expect(run.calls.filter((call) => call.startsWith("eventsAfter"))).toHaveLength(1);
  });
});
