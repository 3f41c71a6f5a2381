/**
 * Model replies recorded once and answered from for ever: a stand-in for the vendor on loopback, between the worker and
 * the real server (mechanism C31: no seed makes a hosted model repeat itself, a recording does).
 *
 * Owns: the files: one a request, named by the digest of its path and body, holding the answers in the order they came;
 * the same request asked again gets the next one, then the last one again. In `replay` no request leaves: one that was
 * never recorded is answered with 400 and told. Headers with keys are never written. Leaves to others: who asks.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import * as z from "zod";
import { sha256Hex } from "../../lib/hash.ts";
import { canonicalJson } from "../../lib/json.ts";
import { messageOf } from "../sqlite-text.ts";

export interface RecordingOptions {
  readonly folder: string;
  /** Null: answer from the files alone. Else where the vendor is, and requests are passed on to it. */
  readonly upstream: string | null;
}

export interface Recording {
  /** For `ANTHROPIC_BASE_URL` or `OPENAI_BASE_URL`. */
  readonly url: string;
  /** Requests answered so far, and those that no file answers. */
  counts(): { readonly answered: number; readonly missing: number };
  close(): Promise<void>;
}

const answerSchema = z.strictObject({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() });
const fileSchema = z.strictObject({ path: z.string(), request: z.unknown(), answers: z.array(answerSchema) });

type Answer = z.infer<typeof answerSchema>;

/** Headers of an answer that mean something to the one who asked. */
const KEPT_HEADERS = ["content-type", "retry-after", "retry-after-ms", "request-id"];
const NOT_RECORDED = {
  type: "error",
  error: {
    type: "invalid_request_error",
    message: "This request was not recorded: the prompt or the set has changed.",
  },
};

/** Starts the stand-in on a free port of loopback. */
export async function openRecording(options: RecordingOptions): Promise<Recording> {
  mkdirSync(options.folder, { recursive: true });
  const asked = new Map<string, number>();
  const count = { answered: 0, missing: 0 };
  const server = createServer((request, response) => {
    void answer(request, options, asked).then(
      (given) => {
        if (given === null) count.missing += 1;
        else count.answered += 1;
        send(response, given ?? toAnswer(400, NOT_RECORDED));
      },
      (error: unknown) => {
        count.missing += 1;
        send(response, toAnswer(502, { type: "error", error: { type: "api_error", message: messageOf(error) } }));
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    counts: () => ({ ...count }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  options: RecordingOptions,
  asked: Map<string, number>,
): Promise<Answer | null> {
  const path = request.url ?? "/";
  const body = await readText(request);
  const name = nameOf(path, body);
  const turn = asked.get(name) ?? 0;
  asked.set(name, turn + 1);
  const file = join(options.folder, `${name}.json`);
  const answers = readAnswers(file);
  if (options.upstream === null) return answers[Math.min(turn, answers.length - 1)] ?? null;
  const fresh = await passOn(request, options.upstream, path, body);
  // A new recording starts its answers anew; a repetition within it is appended.
  const kept = turn === 0 ? [fresh] : [...answers, fresh];
  writeFileSync(file, `${JSON.stringify({ path, request: JSON.parse(body), answers: kept }, null, 1)}\n`);
  return fresh;
}

/** The digest of what is asked; the order of keys says nothing. */
function nameOf(path: string, body: string): string {
  try {
    return sha256Hex(`${path} ${canonicalJson(JSON.parse(body))}`);
  } catch {
    return sha256Hex(`${path} ${body}`);
  }
}

function readAnswers(file: string): readonly Answer[] {
  if (!existsSync(file)) return [];
  const parsed = fileSchema.safeParse(JSON.parse(readFileSync(file, "utf8")));
  return parsed.success ? parsed.data.answers : [];
}

async function passOn(request: IncomingMessage, upstream: string, path: string, body: string): Promise<Answer> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === "string" && !["host", "connection", "content-length", "accept-encoding"].includes(name)) {
      headers.set(name, value);
    }
  }
  const response = await fetch(upstream.replace(/\/$/, "") + path, { method: request.method ?? "POST", headers, body });
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { status: response.status, headers: Object.fromEntries(kept), body: await response.text() };
}

function toAnswer(status: number, body: unknown): Answer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body);
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString("utf8");
}
