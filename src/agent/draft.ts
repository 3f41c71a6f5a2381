/**
 * The half-made transition that the rules of advance.ts, reply.ts and observe.ts fill in, and the five moves they share.
 * Nothing outside those three uses it. Pure: no I/O; the clock comes in as `now`, epoch milliseconds.
 */
import { NANO_USD_PER_ROW } from "./cost.ts";
import { type EndingParts, endingOf } from "./ending.ts";
import type { Message } from "./model.ts";
import type { RunEvent } from "./run-event.ts";
import type { AgentState, StopReason } from "./state.ts";

export interface Draft {
  state: AgentState;
  /** Rows to append. */
  readonly messages: Message[];
  readonly events: RunEvent[];
  readonly now: number;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
export type Telling = DistributiveOmit<RunEvent, "at" | "step" | "phase">;

/** Appends an event row, stamped with the state as it is now. */
export function tell(draft: Draft, telling: Telling): void {
  draft.events.push({ at: draft.now, step: draft.state.usage.steps, phase: draft.state.phase, ...telling });
}

/** Appends a message row and returns its number. */
export function say(draft: Draft, message: Message): number {
  draft.messages.push(message);
  return draft.state.messages + draft.messages.length - 1;
}

/** Adds a settled cost and clears the attempt. */
export function settle(draft: Draft, costNanoUsd: number): void {
  const { usage } = draft.state;
  draft.state = { ...draft.state, attempt: null, usage: { ...usage, costNanoUsd: usage.costNanoUsd + costNanoUsd } };
}

/** The same where no bill has come and none will: what was reserved is spent, and said to be at most that. */
export function settleUnbilled(draft: Draft, costNanoUsd: number): void {
  settle(draft, costNanoUsd);
  draft.state = { ...draft.state, unbilledNanoUsd: draft.state.unbilledNanoUsd + costNanoUsd };
}

/** The same for a round of tools: rows cost money; what was read beyond the reservation is an overrun, in its own meter. */
export function settleRows(draft: Draft, rowsRead: number, reservedRows: number): void {
  settle(draft, rowsRead * NANO_USD_PER_ROW);
  const { usage } = draft.state;
  const rowsOverrun = usage.rowsOverrun + Math.max(0, rowsRead - reservedRows);
  draft.state = { ...draft.state, usage: { ...usage, rowsRead: usage.rowsRead + rowsRead, rowsOverrun } };
}

/** Ends the run (invariants A1, A7). */
export function finish(draft: Draft, reason: StopReason, parts: EndingParts = {}): void {
  const ending = endingOf(draft.state, reason, draft.now, parts);
  draft.state = { ...draft.state, phase: "finish", waiting: null, approval: null, inquiry: null, ending };
  const { outcome, stopReason, message } = ending;
  tell(draft, { type: "run_finished", outcome, stopReason, text: message });
}
