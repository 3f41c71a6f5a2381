/**
 * A request's body: bytes within a bound, text that is UTF-8, JSON that means one thing, an object that fits its schema.
 *
 * Owns: the order of those checks and what each refusal says. The bound is kept while reading, whatever Content-Length
 * claims, and so is the time. Leaves to others: duplicate keys, depth and positions (lib/strict-json.ts), the schemas themselves.
 */
import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import { tellIssue } from "../lib/issue-text.ts";
import { toSentence } from "../lib/sentence.ts";
import { escapePointer, parseStrictJson } from "../lib/strict-json.ts";
import type { HttpEnv, HttpPorts } from "./context.ts";
import { type Fault, problem } from "./problems.ts";

/**
 * The longest question takes 16 kB in UTF-8, 24 kB with every character escaped. The rest is room for a document that
 * somebody pasted: 100,000 characters of any script are told how long a question may be, and not how many bytes a body.
 */
export const JSON_BODY_BYTES_MAX = 512_000;
/** Faults that one answer lists. A body can hold a hundred thousand. */
const FAULTS_MAX = 20;
/** For the whole body: half a megabyte over a poor connection. A sender that stalls holds a request for no longer. */
export const BODY_MS_MAX = 30_000;

/** What a schema takes in (`In`, what clients send) and gives out. */
interface JsonInput<In, Out> {
  in: { json: In };
  out: { json: Out };
}

/** Reads the body as JSON and checks it by `schema`; the handler gets it by `c.req.valid("json")`. */
export function jsonBody<In, Out>(schema: z.ZodType<Out, In>): MiddlewareHandler<HttpEnv, string, JsonInput<In, Out>> {
  return async function jsonBody(c, next) {
    const bytes = await readBytes(c.req.raw, JSON_BODY_BYTES_MAX, c.var.ports);
    assertJsonType(c.req.raw);
    c.req.addValidatedData("json", checkJson(schema, parseJson(bytes)) as object);
    return next();
  };
}

/** As `jsonBody`, but no body at all means an empty object, and then no content type is asked for. */
export function optionalJsonBody<In, Out>(
  schema: z.ZodType<Out, In>,
): MiddlewareHandler<HttpEnv, string, JsonInput<In | undefined, Out>> {
  return async function optionalJsonBody(c, next) {
    const bytes = await readBytes(c.req.raw, JSON_BODY_BYTES_MAX, c.var.ports);
    if (bytes.length > 0) assertJsonType(c.req.raw);
    c.req.addValidatedData("json", checkJson(schema, bytes.length > 0 ? parseJson(bytes) : {}) as object);
    return next();
  };
}

/** The body's bytes, or a refusal: too many of them, too slow, or cut off before the end. */
export async function readBytes(
  request: Request,
  bytesMax: number,
  ports: Pick<HttpPorts, "after">,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw problem("unsupported_media_type", "Send the body without a content encoding.");
  }
  // Only a refusal rests on the claimed length; an acceptance never does.
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) throw tooLarge(bytesMax);
  if (request.body === null) return new Uint8Array(0);
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  let stopClock: () => void = () => undefined;
  const late = new Promise<"late">((resolve) => {
    stopClock = ports.after(BODY_MS_MAX, () => resolve("late"));
  });
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const piece = await Promise.race([reader.read().catch(() => "broken" as const), late]);
      if (piece === "broken") {
        throw problem("body_incomplete", "The body broke off before its end. Send the request again, whole.");
      }
      if (piece !== "late" && piece.done) break;
      if (piece !== "late") length += piece.value.length;
      if (piece === "late" || length > bytesMax) {
        // Not waited for: a sender that stalls would stall this too.
        reader.cancel().catch(() => undefined);
        throw piece === "late" ? tooLate() : tooLarge(bytesMax);
      }
      chunks.push(piece.value);
    }
  } finally {
    stopClock();
  }
  return join(chunks, length);
}

function tooLarge(bytesMax: number) {
  return problem("body_too_large", `The body may have ${bytesMax.toLocaleString("en")} bytes at most.`);
}

function tooLate() {
  const seconds = BODY_MS_MAX / 1000;
  return problem("body_timeout", `The body must be here within ${seconds} seconds. Send the request again.`);
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Strict JSON of UTF-8 bytes, or 400 with the place of the fault. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw problem("invalid_json", "The body is empty. Send a JSON object.");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw problem("invalid_json", "The body is not UTF-8 text. Send JSON in UTF-8.");
  }
  if (text.startsWith("\ufeff")) {
    throw problem("invalid_json", "The body starts with a byte order mark. Send JSON in UTF-8 without one.");
  }
  const parsed = parseStrictJson(text);
  if (parsed.ok) return parsed.value;
  const { message, pointer, line, column } = parsed.error;
  const errors = [{ detail: message, pointer: `#${pointer}` }];
  throw problem("invalid_json", message, { errors, more: { line, column } });
}

/** `value` as `schema` gives it, or 400 with one fault for each place that is wrong. */
export function checkJson<Out>(schema: z.ZodType<Out>, value: unknown): Out {
  const parsed = schema.safeParse(value, { error: tellIssue });
  if (parsed.success) return parsed.data;
  throw invalidRequest(tellFaults(parsed.error.issues, schema));
}

export function invalidRequest(errors: readonly Fault[]) {
  const [first] = errors;
  const place = first?.pointer ?? first?.parameter ?? first?.header;
  // The whole body needs no name.
  const where = place === "#" ? undefined : place;
  const detail = first === undefined ? "The request is not valid." : where ? `${where}: ${first.detail}` : first.detail;
  return problem("invalid_request", detail, { errors });
}

function assertJsonType(request: Request): void {
  const type = request.headers.get("content-type") ?? "";
  const [essence = "", ...parameters] = type.toLowerCase().split(";");
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (/^application\/(?:[a-z0-9.-]+\+)?json$/.test(essence.trim()) && isUtf8) return;
  throw problem("unsupported_media_type", 'Send JSON in UTF-8, with "Content-Type: application/json".', {
    headers: { accept: "application/json" },
  });
}

/** The first of each place (what is of the wrong type is also too long or too short), and no more than a person reads. */
function tellFaults(issues: readonly z.core.$ZodIssue[], schema: z.ZodType): readonly Fault[] {
  const faults = new Map<string, Fault>();
  for (const issue of issues) {
    for (const fault of toFaults(issue, schema)) {
      const place = fault.pointer ?? "";
      if (!faults.has(place)) faults.set(place, fault);
      if (faults.size >= FAULTS_MAX) return [...faults.values()];
    }
  }
  return [...faults.values()];
}

function toFaults(issue: z.core.$ZodIssue, schema: z.ZodType): Fault[] {
  const pointer = `#${issue.path.map((segment) => `/${escapePointer(String(segment))}`).join("")}`;
  if (issue.code === "unrecognized_keys") {
    const detail = `There is no such field. ${tellFields(schema, issue.path)}`;
    return issue.keys.slice(0, FAULTS_MAX).map((key) => ({ detail, pointer: `${pointer}/${escapePointer(key)}` }));
  }
  const detail = toSentence(issue.message);
  return [{ detail: issue.path.length === 0 ? detail.replace(/^Must/, "The body must") : detail, pointer }];
}

/** The fields that there are in the object at `path`. */
function tellFields(schema: z.ZodType, path: readonly PropertyKey[]): string {
  let at: unknown = schema;
  for (const segment of path) at = at instanceof z.ZodObject ? unwrap(at.shape[String(segment)]) : undefined;
  const names = at instanceof z.ZodObject ? Object.keys(at.shape) : [];
  return names.length === 0 ? "Leave it out." : `The fields are ${names.join(", ")}.`;
}

function unwrap(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? unwrap(schema.unwrap()) : schema;
}
