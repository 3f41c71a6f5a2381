/**
 * A request's body: bytes within a bound, text that is UTF-8, JSON that means one thing, an object that fits its schema.
 *
 * Owns: the order of those checks and what each refusal says. The bound is kept while reading, whatever Content-Length
 * claims. Leaves to others: duplicate keys, depth and positions (lib/strict-json.ts), the schemas themselves.
 */
import type { MiddlewareHandler } from "hono";
import type { z } from "zod";
import { escapePointer, parseStrictJson } from "../lib/strict-json.ts";
import type { HttpEnv } from "./context.ts";
import { type Fault, problem } from "./problems.ts";

/** The longest question takes 16 kB in UTF-8, 24 kB with every character escaped; the rest is room. */
export const JSON_BODY_BYTES_MAX = 64_000;

/** What a schema takes in (`In`, what clients send) and gives out. */
interface JsonInput<In, Out> {
  in: { json: In };
  out: { json: Out };
}

/** Reads the body as JSON and checks it by `schema`; the handler gets it by `c.req.valid("json")`. */
export function jsonBody<In, Out>(schema: z.ZodType<Out, In>): MiddlewareHandler<HttpEnv, string, JsonInput<In, Out>> {
  return async function jsonBody(c, next) {
    const bytes = await readBytes(c.req.raw, JSON_BODY_BYTES_MAX);
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
    const bytes = await readBytes(c.req.raw, JSON_BODY_BYTES_MAX);
    if (bytes.length > 0) assertJsonType(c.req.raw);
    c.req.addValidatedData("json", checkJson(schema, bytes.length > 0 ? parseJson(bytes) : {}) as object);
    return next();
  };
}

/** The body's bytes, or 413 as soon as there are more than `bytesMax`. */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () => problem("body_too_large", `The body may have ${bytesMax} bytes at most.`);
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw problem("unsupported_media_type", "Send the body without a content encoding.");
  }
  // Only a refusal rests on the claimed length; an acceptance never does.
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) throw tooLarge();
  if (request.body === null) return new Uint8Array(0);
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > bytesMax) {
      await reader.cancel().catch(() => undefined);
      throw tooLarge();
    }
    chunks.push(value);
  }
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
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidRequest(parsed.error.issues.flatMap(toFaults));
}

export function invalidRequest(errors: readonly Fault[]) {
  const [first] = errors;
  const where = first?.pointer ?? first?.parameter ?? first?.header;
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

function toFaults(issue: z.core.$ZodIssue): Fault[] {
  const pointer = `#${issue.path.map((segment) => `/${escapePointer(String(segment))}`).join("")}`;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      detail: "There is no such field.",
      pointer: `${pointer}/${escapePointer(key)}`,
    }));
  }
  return [{ detail: /[.!?]$/.test(issue.message) ? issue.message : `${issue.message}.`, pointer }];
}
