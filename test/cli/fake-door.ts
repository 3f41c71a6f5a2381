/**
 * Stands in for the worker where its answers have to go wrong at will. The shapes are those of the public API.
 */
import type { Door, Run } from "../../src/cli/run-client.ts";

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface FakeDoor extends Door {
  readonly requests: readonly Request[];
}

/** Answers requests one after the other from `replies`, the last one again and again; an error is a broken connection. */
export function fakeDoor(...replies: readonly (Response | Error | ((request: Request) => Response))[]): FakeDoor {
  const requests: Request[] = [];
  return {
    requests,
    async fetch(path, init) {
      const body = typeof init?.body === "string" ? JSON.parse(init.body) : undefined;
      const request = { method: init?.method ?? "GET", path, headers: new Headers(init?.headers), body };
      const reply = replies[Math.min(requests.length, replies.length - 1)];
      requests.push(request);
      init?.signal?.throwIfAborted();
      if (reply === undefined || reply instanceof Error) throw reply ?? new Error("no reply left");
      if (typeof reply === "function") return reply(request);
      // A copy of a stream could not be left in its middle.
      return reply.headers.get("content-type") === "text/event-stream" ? reply : reply.clone();
    },
  };
}

/** Frames of a stream of events, numbered from `first`. `cut` ends the stream in the middle of a frame. */
export function eventStream(events: readonly object[], options: { first?: number; cut?: boolean } = {}): Response {
  const first = options.first ?? 1;
  const frames = events.map((event, index) => {
    const type = "type" in event ? String(event.type) : "message";
    return `: keep-alive\n\nid: ${first + index}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  });
  const text = frames.join("") + (options.cut === true ? `id: ${first + events.length}\nevent: step_st` : "");
  const bytes = new TextEncoder().encode(text);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      // Pieces of an odd size: frames and characters are split anywhere.
      for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.subarray(at, at + 7));
      controller.close();
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

export function problem(status: number, detail: string, more: object = {}): Response {
  return Response.json({ type: "about:blank", title: "Refused", status, detail, ...more }, { status });
}

/** A finished, answered run, with `changes` laid over it. */
export function aRun(changes: Partial<Run> = {}): Run {
  return {
    id: "run_1",
    status: "finished",
    outcome: "answered",
    stop_reason: "done",
    message: "Answered.",
    answer: "3,503 tracks.",
    partial_answer: null,
    question: "How many tracks?",
    model: "claude-sonnet-5-5",
    receipt: {
      queries: [
        { sql: "SELECT count(*) FROM Track", result: "r1", rows: 1, rows_read: 3503, duration_ms: 1, error: null },
      ],
      results: ["r1"],
      citations: [],
      rows_read: 3503,
      cost_usd: 0.0123,
      seconds: 2.25,
      steps: 2,
    },
    warnings: [],
    created_at: "2026-11-30T12:00:00.000Z",
    ...changes,
  };
}
