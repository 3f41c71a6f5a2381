/**
 * What a request carries through the handlers: its bindings, its settings, who asks, and the ports to the world.
 *
 * Owns: the types, the ports of production, and the look-up of objects by name. Leaves to others: everything else.
 */
import type { Caller } from "../config/callers.ts";
import type { Config } from "../config.ts";
import type { CallerApi } from "../durable/caller-contract.ts";
import type { DurableBindings, RunApi } from "../durable/contract.ts";

/** The bindings as the doors use them: typed by what the objects offer, so that a fake can stand in. */
export type HttpBindings = DurableBindings;

export interface LogEntry {
  readonly level: "info" | "warn" | "error";
  /** snake_case; never holds a question, a row, a key or a body. */
  readonly event: string;
  readonly [field: string]: string | number | boolean;
}

/** Time, chance and the log; tests put in their own. */
export interface HttpPorts {
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Runs `late` after `ms`, unless what it gives back is called before. */
  after(ms: number, late: () => void): () => void;
  randomBytes(count: number): Uint8Array;
  /** A UUID. */
  newId(): string;
  log(entry: LogEntry): void;
}

export interface HttpVariables {
  readonly config: Config;
  readonly caller: Caller;
  readonly ports: HttpPorts;
}

export type HttpEnv = { Bindings: HttpBindings; Variables: HttpVariables };

export const PRODUCTION_PORTS: HttpPorts = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  after(ms, late) {
    const timer = setTimeout(late, ms);
    return () => clearTimeout(timer);
  },
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  newId: () => crypto.randomUUID(),
  // biome-ignore lint/suspicious/noConsole: the platform's log is the console; this is the one place that writes to it.
  log: (entry) => console.log(JSON.stringify(entry)),
};

export function runObject(bindings: HttpBindings, runId: string): RunApi {
  return bindings.RUNS.get(bindings.RUNS.idFromName(runId));
}

export function callerObject(bindings: HttpBindings, callerName: string): CallerApi {
  return bindings.CALLERS.get(bindings.CALLERS.idFromName(callerName));
}
