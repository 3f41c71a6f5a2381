/**
 * `GET /v1/runs/:id/events`: what happens in a run, as server-sent events.
 *
 * The id of an event is its number, so a reader that comes back with `Last-Event-ID` goes on at the next one, with no gap
 * and no repeat. Each turn is one long poll of the run object, made only when the client has read what came before: a
 * slow reader holds nothing, a vanished one costs at most one poll. Keep-alives are comments and carry no id. The stream
 * ends with the run; a reader that comes back after the last event is told by 204 to stay away.
 */
import { Hono } from "hono/tiny";
import * as z from "zod";
import type { EventPage, NumberedEvent, RunApi } from "../durable/contract.ts";
import { ownRun, runNotFound } from "./access.ts";
import type { HttpEnv } from "./context.ts";
import { problem } from "./problems.ts";
import { queryParameters } from "./query.ts";
import { textStream } from "./text-stream.ts";

/** Proxies drop a connection that is silent for half a minute. */
const KEEP_ALIVE_MS = 15_000;
/** How soon an EventSource comes back after a cut. */
const RECONNECT_MS = 1_000;

export const eventsQuerySchema = z.strictObject({
  last_event_id: z.string().max(100).optional().meta({
    description: "As the Last-Event-ID header, for clients that cannot set one; the header wins.",
  }),
});

export function createEventRoutes() {
  return new Hono<HttpEnv>().get("/:id/events", queryParameters(eventsQuerySchema), async (c) => {
    const object = ownRun(c, c.req.param("id"));
    const after = parseEventId(c.req.header("last-event-id") || c.req.valid("query").last_event_id);
    const first = await object.eventsAfter(after, 0);
    if (first === null) throw runNotFound();
    if (after > first.last) throw unknownEvent(`The run has ${first.last} events so far.`);
    if (first.finished && first.events.length === 0) return c.body(null, 204);
    return c.body(textStream(eventTexts(object, first)), 200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store, no-transform",
      // Asks nginx and its like to pass every event on at once.
      "x-accel-buffering": "no",
    });
  });
}

async function* eventTexts(object: RunApi, first: EventPage): AsyncGenerator<string> {
  yield `retry: ${RECONNECT_MS}\n\n`;
  let page = first;
  for (;;) {
    if (page.events.length > 0) yield page.events.map(toText).join("");
    if (page.finished) return;
    const next = await readOn(object, page.last);
    // The object is gone or being restarted: the client comes back by itself, with the number of its last event.
    if (next === null) return;
    if (next.events.length === 0 && !next.finished) yield ": keep-alive\n\n";
    page = next;
  }
}

async function readOn(object: RunApi, after: number): Promise<EventPage | null> {
  try {
    return await object.eventsAfter(after, KEEP_ALIVE_MS);
  } catch {
    return null;
  }
}

function toText({ seq, event }: NumberedEvent): string {
  return `id: ${seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The number to go on after; none given means from the start. */
function parseEventId(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  if (!/^[0-9]{1,100}$/.test(text)) throw unknownEvent("An event id is a whole number.");
  // A number that cannot be counted exactly is of no event either.
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

function unknownEvent(detail: string) {
  return problem("invalid_event_id", `${detail} Leave Last-Event-ID out to read from the start.`);
}
