/**
 * The public API as the page uses it: requests with the key of this tab, answers as values, refusals in words.
 *
 * Owns: what a person is told when something fails. Leaves to others: the key (session.ts), the stream of events
 * (event-stream.ts). No function rejects but on an abort.
 */

import type { Caller, Problem, ResultPage, Run, RunList, Schema } from "./api-types.ts";
import { authorization } from "./session.ts";

/** `status` 0: the server was not reached. */
export interface Failure {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** True: no key is asked for; a reload goes through the sign-in of Cloudflare Access again. */
  readonly isAccess?: boolean;
}

export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export interface AskLimits {
  readonly [name: string]: number;
}

export const api = {
  schema: (signal?: AbortSignal) => getJson<Schema>("/v1/schema", signal),
  caller: (signal?: AbortSignal) => getJson<Caller>("/v1/caller", signal),
  run: (id: string, signal?: AbortSignal) => getJson<Run>(runPath(id), signal),
  runs: (cursor: string | null, limit: number, signal?: AbortSignal) =>
    getJson<RunList>(
      `/v1/runs?limit=${limit}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
      signal,
    ),
  rows: (id: string, ref: string, from: number, limit: number, signal?: AbortSignal) =>
    getJson<ResultPage>(`${runPath(id)}/results/${encodeURIComponent(ref)}?from=${from}&limit=${limit}`, signal),
  /** Empty limits, an empty model and no rows are the caller's defaults. */
  ask: (question: string, limits: AskLimits, model: string, approveAboveRows: number | null) =>
    postJson<Run>("/v1/runs", {
      question,
      // Whoever has the page open can be asked back.
      may_ask: true,
      ...(approveAboveRows === null ? {} : { approve_above_rows: approveAboveRows }),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
      ...(model === "" ? {} : { model }),
    }),
  cancel: (id: string) => postJson<Run>(`${runPath(id)}/cancel`, {}),
  approve: (id: string, approval: string, decision: "approve" | "decline", note: string) =>
    postJson<Run>(`${runPath(id)}/approve`, { approval, decision, ...(note === "" ? {} : { note }) }),
  reply: (id: string, inquiry: string, reply: string) => postJson<Run>(`${runPath(id)}/reply`, { inquiry, reply }),
  continue: (id: string, limits: AskLimits) => postJson<Run>(`${runPath(id)}/continue`, { limits }),
  again: (id: string) => postJson<Run>(`${runPath(id)}/again`, {}),
  fork: (id: string, step: number) => postJson<Run>(`${runPath(id)}/fork`, { step }),
};

/** Fetches a file that needs the key, and hands it to the browser's own saving. */
export async function download(path: string, fileName: string): Promise<Answer<null>> {
  const answered = await request(path, {});
  if (!answered.ok) return answered;
  const url = URL.createObjectURL(await answered.value.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
  return { ok: true, value: null };
}

export function runPath(id: string): string {
  return `/v1/runs/${encodeURIComponent(id)}`;
}

/** What a person is told about an answer that is no success. */
export async function toFailure(response: Response): Promise<Failure> {
  const { status } = response;
  // Access answers before the server does, and not with a problem document.
  const plain =
    status === 401
      ? { status, title: "Your sign-in has run out", detail: "Reload the page to sign in again.", isAccess: true }
      : { status, title: "The server could not do this", detail: `It answered ${status}.` };
  if (response.headers.get("content-type")?.startsWith("application/problem+json") !== true) return plain;
  try {
    const problem: Problem = await response.json();
    const faults = (problem.errors ?? []).map((fault) => fault.detail).filter((text) => !problem.detail.includes(text));
    const isAccess = problem.code === "access_refused";
    return { status, title: problem.title, detail: [problem.detail, ...faults].join(" "), isAccess };
  } catch {
    return plain;
  }
}

export const UNREACHABLE: Failure = {
  status: 0,
  title: "No connection",
  detail: "The server could not be reached. Check your connection; what is running goes on without this page.",
};

async function getJson<T>(path: string, signal?: AbortSignal): Promise<Answer<T>> {
  return toJson<T>(await request(path, signal === undefined ? {} : { signal }));
}

async function postJson<T>(path: string, body: object): Promise<Answer<T>> {
  const headers = { "content-type": "application/json" };
  return toJson<T>(await request(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function request(path: string, init: RequestInit): Promise<Answer<Response>> {
  try {
    const response = await fetch(path, { ...init, headers: { ...authorization(), ...init.headers } });
    if (response.ok) return { ok: true, value: response };
    return { ok: false, failure: await toFailure(response) };
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    return { ok: false, failure: UNREACHABLE };
  }
}

async function toJson<T>(answered: Answer<Response>): Promise<Answer<T>> {
  if (!answered.ok) return answered;
  try {
    const value: T = await answered.value.json();
    return { ok: true, value };
  } catch {
    return { ok: false, failure: UNREACHABLE };
  }
}

/** One entry of the journal, for reading. */
export interface TranscriptLine {
  readonly title: string;
  readonly text: string;
}

export async function readTranscript(runId: string): Promise<Answer<readonly TranscriptLine[]>> {
  const answered = await request(`${runPath(runId)}/transcript`, {});
  if (!answered.ok) return answered;
  try {
    const lines = (await answered.value.text()).split("\n").filter((line) => line !== "");
    return { ok: true, value: lines.map(toTranscriptLine) };
  } catch {
    return { ok: false, failure: UNREACHABLE };
  }
}

function toTranscriptLine(line: string): TranscriptLine {
  const entry: { kind?: string; message?: { role?: string }; event?: { type?: string }; result?: { ref?: string } } =
    JSON.parse(line);
  const what = entry.message?.role ?? entry.event?.type?.replaceAll("_", " ") ?? entry.result?.ref ?? "";
  return {
    title: [entry.kind ?? "entry", what].filter((text) => text !== "").join(": "),
    text: JSON.stringify(entry, null, 2),
  };
}
