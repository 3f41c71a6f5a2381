/**
 * Waiting for a person: what every such wait has in common (mechanism C45).
 *
 * It takes none of the run's active time, and has an expiry of its own: a day from when the person was asked, after which
 * the run ends as expired, and a day anew for the run once they have answered. Pure.
 */
import { assert } from "../lib/assert.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { Draft } from "./draft.ts";
import { type AgentState, EXPIRY_MS } from "./state.ts";

/** A person who says nothing for so long has answered. */
const PERSON_MS = 24 * 60 * 60 * 1000;

const ID_CHARS = 16;

/** A name that says exactly what is asked: of a run, about the reply in message row `message`. */
export function nameAsked(runId: string, message: number, parts: readonly string[]): string {
  return sha256Hex([runId, message, ...parts].join("|")).slice(0, ID_CHARS);
}

/** The part of a state that says what a person is asked. */
export interface Asking {
  readonly waiting: { readonly kind: string } | null;
  readonly approval: { readonly id: string } | null;
  readonly inquiry: { readonly id: string } | null;
}

/** The id of what is asked, as the run shows it, or null when no person is. */
export function askedId({ waiting, approval, inquiry }: Asking): string | null {
  if (waiting?.kind === "approval") return approval?.id ?? null;
  return waiting?.kind === "reply" ? (inquiry?.id ?? null) : null;
}

/** Whether a word of a person's would come in time: the alarm that ends the wait may be late. */
export function isInTime({ waiting }: Pick<AgentState, "waiting">, now: number): boolean {
  return waiting !== null && now < waiting.until;
}

/** The instant until which the run waits. */
export function waitForPerson(draft: Draft, kind: "approval" | "reply"): number {
  assert(draft.state.attempt === null, "nothing is open while a person is asked");
  const until = draft.now + PERSON_MS;
  const expiresAt = Math.max(draft.state.expiresAt, until);
  draft.state = { ...draft.state, expiresAt, waiting: { kind, until } };
  return until;
}

export function hearPerson(draft: Draft): void {
  const expiresAt = Math.max(draft.state.expiresAt, draft.now + EXPIRY_MS);
  draft.state = { ...draft.state, expiresAt, waiting: null };
}
