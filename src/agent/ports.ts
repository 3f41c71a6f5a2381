/**
 * What the step driver needs of the world, as narrow as it can be. durable/ implements it on a Durable Object, the
 * simulation in memory with a crash at every call.
 *
 * Contract of `Journal`: `save` is atomic (the state and its rows together or nothing) and durable before anything that
 * is awaited after it leaves the object (invariant L1). Reads see the last save.
 */
import type { Advance } from "./advance.ts";
import type { Message, Model, ToolSpec } from "./model.ts";
import type { AgentState, Attempt } from "./state.ts";
import type { StoredPlan } from "./stored-plan.ts";
import type { StoredResult, Tool } from "./tool.ts";

/** Fixed when the run starts, across deploys. */
export interface Pinned {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** Of a run that follows one. */
  readonly plan?: StoredPlan;
}

export interface Journal {
  load(): AgentState;
  pinned(): Pinned;
  /** The whole history, oldest first. */
  messages(): readonly Message[];
  /** All stored results, oldest first. */
  results(): readonly StoredResult[];
  save(advance: Advance, results: readonly StoredResult[]): void | Promise<void>;
}

export interface StepPorts {
  readonly journal: Journal;
  readonly model: Model;
  /** Every tool of the deployment by name; which of them a run may call stands in its state. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Epoch milliseconds. */
  now(): number;
  /** In [0, 1). */
  random(): number;
  /** A name for an attempt, never used before. */
  newToken(): string;
  /** A signal that aborts at `attempt.abortAt`, or sooner when the run is cancelled. */
  signalFor(attempt: Attempt): AbortSignal;
}
