/**
 * What the replies of all vendors have in common. Owns: ids of tool calls that stay unique over a conversation (every
 * vendor refuses an id that was used before), and the failure for an answer nobody can use. Pure: no I/O, no clock.
 */
import type { ModelFailure, ModelRequest } from "../agent/model.ts";

/** Why an answer is no reply; `detail` names the fault and repeats nothing of the content. */
export interface MalformedReply {
  readonly kind: "retryable" | "fatal";
  readonly detail: string;
}

/** A 200 answer that cannot be used. It was generated, so it counts as billed. */
export function toMalformedFailure(
  fault: MalformedReply,
  server: string,
  status: number,
  requestId: string | null,
): ModelFailure {
  return {
    kind: fault.kind,
    code: "malformed_reply",
    status,
    retryAfterMs: null,
    message: `${server} sent an answer that cannot be used: ${fault.detail}.${fault.kind === "fatal" ? " Check the base URL." : ""}`,
    unbilled: false,
    requestId,
  };
}

/**
 * Gives each call of a reply its id: the vendor's, unless it is empty or taken in the conversation so far, then one
 * with a number. The same reply to the same conversation gets the same ids.
 */
export function createIdSource(request: ModelRequest): (wanted: string) => string {
  const given = new Set<string>();
  const isUsed = (id: string): boolean =>
    given.has(id) ||
    request.messages.some((message) => message.role === "assistant" && message.calls.some((call) => call.id === id));
  return (wanted) => {
    const base = wanted === "" ? "call" : wanted;
    let id = wanted === "" ? `${base}_1` : base;
    for (let suffix = 2; isUsed(id); suffix += 1) id = `${base}_${suffix}`;
    given.add(id);
    return id;
  };
}

/** Whether the answer calls itself JSON: if it then is none, it was cut; if it never did, it is somebody's page. */
export function isJsonType(headers: Headers): boolean {
  const type = (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return type.includes("application/json") || type.endsWith("+json");
}

/** A JSON object, the only tool input that vendors take back. */
export function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
