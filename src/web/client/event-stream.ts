/**
 * Follows a run's events over fetch streaming: with the key in a header, which an EventSource cannot send.
 *
 * Owns: coming back after a cut with `Last-Event-ID`, so that no event is missed or seen twice, and how long to wait
 * before it. Leaves to others: the format (eventsource-parser), what an event means (run-view.ts).
 */
import { createParser } from "eventsource-parser";
import { type Failure, runPath, toFailure } from "./api.ts";
import type { RunEvent } from "./api-types.ts";
import { authorization } from "./session.ts";

export type StreamState = "open" | "lost";

export interface StreamHandlers {
  /** Events in order, each once, in the groups in which they came. */
  onEvents(events: readonly RunEvent[]): void;
  /** `lost`: the connection is gone and will be tried again. */
  onState(state: StreamState): void;
  /** The server refused: trying again is of no use. */
  onRefused(failure: Failure): void;
}

/** First and longest pause before another try. */
const PAUSE_MS = 500;
const PAUSE_MS_MAX = 8_000;
/** The server sends a comment every 15 s; a line that is silent for longer is dead, whatever it says. */
const SILENCE_MS_MAX = 40_000;

/** Reads until the run is finished, the server refuses, or `signal` aborts. */
export async function followEvents(runId: string, handlers: StreamHandlers, signal: AbortSignal): Promise<void> {
  let lastId = "";
  let pauseMs = PAUSE_MS;
  while (!signal.aborted) {
    const line = new AbortController();
    const end = AbortSignal.any([signal, line.signal]);
    const outcome = await readOnce(runId, lastId, line, end, {
      ...handlers,
      onEvents: (events) => {
        pauseMs = PAUSE_MS;
        handlers.onEvents(events);
      },
      onId: (id) => {
        lastId = id;
      },
    });
    line.abort();
    if (outcome === "finished" || signal.aborted) return;
    if (outcome === "lost") handlers.onState("lost");
    await pause(pauseMs, signal);
    pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2);
  }
}

type LineHandlers = StreamHandlers & { onId(id: string): void };

/** One connection, to its end. `cut`: it ended in good order before the run did. */
async function readOnce(
  runId: string,
  lastId: string,
  line: AbortController,
  signal: AbortSignal,
  handlers: LineHandlers,
): Promise<"finished" | "cut" | "lost"> {
  let silence = setTimeout(() => line.abort(), SILENCE_MS_MAX);
  try {
    const headers = { ...authorization(), ...(lastId === "" ? {} : { "last-event-id": lastId }) };
    const response = await fetch(`${runPath(runId)}/events`, { headers, signal });
    if (response.status === 204) return "finished";
    if (response.status >= 400 && response.status < 500 && response.status !== 429) {
      handlers.onRefused(await toFailure(response));
      return "finished";
    }
    if (!response.ok || response.body === null) return "lost";
    handlers.onState("open");
    let isFinished = false;
    let group: RunEvent[] = [];
    const parser = createParser({
      onEvent(message) {
        if (message.id !== undefined) handlers.onId(message.id);
        const event: RunEvent = JSON.parse(message.data);
        group.push(event);
        // A run that carries on from another opens with that one's events.
        isFinished = event.type === "run_finished";
      },
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return isFinished ? "finished" : "cut";
      clearTimeout(silence);
      silence = setTimeout(() => line.abort(), SILENCE_MS_MAX);
      parser.feed(value);
      if (group.length > 0) handlers.onEvents(group);
      group = [];
    }
  } catch {
    return "lost";
  } finally {
    clearTimeout(silence);
  }
}

/** Ends early when the browser is online again or the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}
