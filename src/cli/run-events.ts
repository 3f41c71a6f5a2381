/**
 * Follows the events of a run while it goes on, over server-sent events.
 *
 * Owns: reading the stream, and going on after the last event seen when the connection breaks (a worker that crashed is
 * started anew and answers again). Leaves to others: what an event means; a type that nobody knows is passed on.
 */
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import type { Door } from "./run-client.ts";

const eventSchema = z.looseObject({ type: z.string(), at: z.string().optional(), step: z.number().optional() });

export type RunEvent = z.infer<typeof eventSchema>;

/** Pause before the stream is opened again, and how often without a single new event before we stop. */
const RECONNECT_AFTER_MS = 250;
const RECONNECTS_MAX = 40;

/**
 * Yields each event once, in order, from the first. Ends after `run_finished`, when the signal aborts, or when the
 * worker stays away; whether the run is over is then for `GET /v1/runs/:id` to say.
 */
export async function* followRun(door: Door, runId: string, signal: AbortSignal): AsyncGenerator<RunEvent> {
  let lastId = "";
  for (let fruitless = 0; fruitless < RECONNECTS_MAX && !signal.aborted; fruitless += 1) {
    try {
      const response = await door.fetch(`/v1/runs/${encodeURIComponent(runId)}/events`, {
        headers: { accept: "text/event-stream", ...(lastId === "" ? {} : { "last-event-id": lastId }) },
        signal,
      });
      // 204 is how a server says that nothing more will come.
      if (response.status === 204 || (response.status >= 400 && response.status < 500)) return;
      for await (const frame of readFrames(response)) {
        if (frame.id !== null) lastId = frame.id;
        const event = toEvent(frame);
        if (event === null) continue;
        fruitless = 0;
        yield event;
        if (event.type === "run_finished") return;
      }
    } catch {
      // A broken connection and an abort look alike here; the loop's condition tells them apart.
    }
    await delay(RECONNECT_AFTER_MS, undefined, { signal }).catch(() => undefined);
  }
}

interface Frame {
  readonly id: string | null;
  readonly event: string | null;
  readonly data: string;
}

/** The frames of a stream, by the rules of the HTML standard as far as a client of ours meets them. */
async function* readFrames(response: Response): AsyncGenerator<Frame> {
  if (!response.ok || response.body === null) return;
  let pending = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    pending = (pending + decoder.decode(chunk, { stream: true })).replaceAll("\r\n", "\n");
    for (let end = pending.indexOf("\n\n"); end !== -1; end = pending.indexOf("\n\n")) {
      yield parseFrame(pending.slice(0, end));
      pending = pending.slice(end + 2);
    }
  }
}

function parseFrame(text: string): Frame {
  let id: string | null = null;
  let event: string | null = null;
  const data: string[] = [];
  for (const line of text.split("\n")) {
    const [field = "", value = ""] = splitField(line);
    if (field === "id") id = value;
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
  return { id, event, data: data.join("\n") };
}

/** `name: value`, with one blank after the colon left off. A line that starts with a colon is a comment. */
function splitField(line: string): readonly string[] {
  const colon = line.indexOf(":");
  return colon === -1 ? [line] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
}

function toEvent(frame: Frame): RunEvent | null {
  if (frame.data === "") return null;
  try {
    const parsed: unknown = JSON.parse(frame.data);
    const named = frame.event === null || typeof parsed !== "object" ? parsed : { type: frame.event, ...parsed };
    const event = eventSchema.safeParse(named);
    return event.success ? event.data : null;
  } catch {
    // Half a frame, cut off by a crash: it comes again whole.
    return null;
  }
}
