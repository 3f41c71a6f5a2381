/**
 * The run object under test: a scripted model and fake tools in the place of its wiring, and shortcuts to one object.
 * The object, its storage, its alarms and its crashes are workerd's own.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { type MockInstance, vi } from "vitest";
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX, type LimitsRequest, resolveLimits } from "../../src/agent/limits.ts";
import type { Model, ModelOutcome } from "../../src/agent/model.ts";
import type { Tool } from "../../src/agent/tool.ts";
import type { PublicRun } from "../../src/agent/view.ts";
import type { RunApi, RunLedgerApi, StartRun } from "../../src/durable/contract.ts";
import { RunObject } from "../../src/durable/run-object.ts";
import type { RunSettings } from "../../src/durable/settings.ts";
import type { Wiring } from "../../src/durable/wiring.ts";
import { ok } from "../../src/lib/result.ts";
import { functionModel, replied } from "../fakes/function-model.ts";
import { finalAnswerTool, queryTool } from "../fakes/memory-run.ts";

export type RunStub = DurableObjectStub & RunApi & RunLedgerApi;

export interface World {
  model: Model;
  tools: readonly Tool[];
}

let ids = 0;

/**
 * Every run object that wires itself after this acts through `world`, which a test may change at any time. Gives back
 * what sees the settings that each was wired with.
 */
export function installWorld(world: World): MockInstance<(settings: RunSettings) => Wiring> {
  const wire = (): Wiring => ({
    tools: new Map(world.tools.map((tool) => [tool.name, tool])),
    model: ok({
      get info() {
        return world.model.info;
      },
      boundInputTokens: (request) => world.model.boundInputTokens(request),
      countInputTokens: (request, signal) => world.model.countInputTokens(request, signal),
      complete: (request, signal) => world.model.complete(request, signal),
    }),
    readSchema: async () => ok("table T (1 rows)\n  n INTEGER"),
  });
  // The method is protected: only the platform and this test get hold of the class.
  const prototype = RunObject.prototype as unknown as { wire: (settings: RunSettings) => Wiring };
  return vi.spyOn(prototype, "wire").mockImplementation(wire);
}

/** One query, then the answer. */
export function answeringWorld(): World {
  return {
    model: functionModel((request) => (request.messages.length < 3 ? query("SELECT 1") : answer())),
    tools: [queryTool(() => ({ columns: ["n"], rows: [[1]] })), finalAnswerTool],
  };
}

let calls = 0;

/** A reply that runs one query. */
export function query(sql: string): ModelOutcome {
  calls += 1;
  return replied({ calls: [{ id: `call_${calls}`, name: "execute_read_only_sql", input: { sql } }] });
}

/** A reply that ends the run. */
export function answer(text = "One."): ModelOutcome {
  calls += 1;
  return replied({ calls: [{ id: `call_${calls}`, name: "final_answer", input: { answer: text, results: ["r1"] } }] });
}

export interface HeldModel extends Model {
  /** Calls begun, and calls whose signal has aborted. */
  calls: number;
  aborted: number;
  /** Lets every call, open or to come, have its reply. */
  release(): void;
}

/**
 * A model whose calls stay open until the test releases them. The object that calls looks for the release itself: a
 * promise that belongs to one object cannot be resolved from another.
 */
export function holdModel(reply: () => ModelOutcome): HeldModel {
  let isReleased = false;
  const held: HeldModel = {
    ...functionModel(reply),
    calls: 0,
    aborted: 0,
    release: () => {
      isReleased = true;
    },
    complete: async (_request, signal) => {
      held.calls += 1;
      signal.addEventListener("abort", () => {
        held.aborted += 1;
      });
      while (!isReleased) await new Promise((resolve) => setTimeout(resolve, 1));
      return reply();
    },
  };
  return held;
}

export function newRun(
  world: World,
  parts: Partial<StartRun> & { readonly asked?: LimitsRequest } = {},
): { readonly input: StartRun; readonly stub: RunStub } {
  const { asked, ...rest } = parts;
  const limits = resolveLimits(asked ?? {}, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX);
  if (!limits.ok) throw new Error("limits of the test are above the maximum");
  ids += 1;
  const input: StartRun = {
    id: `run_test_${ids}`,
    question: "How many?",
    caller: "test",
    mode: "auto",
    grounding: "report",
    model: world.model.info.id,
    tools: world.tools.map((tool) => tool.name),
    limits: limits.value,
    scopes: {},
    callbackUrl: null,
    ...rest,
  };
  return { input, stub: stubOf(input.id) };
}

/** A stub is useless after its object was aborted: take a new one then. */
export function stubOf(id: string): RunStub {
  return env.RUNS.get(env.RUNS.idFromName(id)) as unknown as RunStub;
}

/** Moves the clock of tests and objects; timers run on. */
export function advanceClock(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

/** Does something inside the object, where its storage and its alarm handler can be reached. */
export function inObject<R>(
  stub: RunStub,
  act: (object: RunObject, state: DurableObjectState) => R | Promise<R>,
): Promise<R> {
  // The platform's own type of this function is too deep for our methods.
  const run = runInDurableObject as unknown as (target: RunStub, callback: typeof act) => Promise<R>;
  return run(stub, act);
}

/** Waits, by news alone, until the run is over; whoever drives it. */
export async function untilFinished(id: string): Promise<PublicRun> {
  let seq = 0;
  for (;;) {
    const page = await stubOf(id).eventsAfter(seq, 20_000);
    if (page === null) throw new Error("there is no such run");
    seq = page.last;
    if (page.finished) break;
  }
  const run = await stubOf(id).view();
  if (run === null) throw new Error("there is no such run");
  return run;
}
