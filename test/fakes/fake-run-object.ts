/**
 * Run and caller objects in memory, behind the bindings that the doors use: real shapes, scripted life.
 *
 * A run is finished by its `stepsToEnd`-th step. What the doors asked of an object is kept in `calls`.
 */
import { createState } from "../../src/agent/state.ts";
import type { StoredPlan } from "../../src/agent/stored-plan.ts";
import { type PublicRun, toPublicRun } from "../../src/agent/view.ts";
import type {
  AdmitReply,
  AdmitRequest,
  CallerApi,
  ClaimReply,
  DayUsage,
  LedgerPage,
  RecentFigures,
  Settlement,
  TakeReply,
  TakeRequest,
} from "../../src/durable/caller-contract.ts";
import type {
  Answer,
  CancelReply,
  CarryOn,
  CarryOnReply,
  DecideReply,
  Decision,
  Driver,
  EventPage,
  NumberedEvent,
  OutgoingCall,
  OutgoingReply,
  PlanReply,
  ResultPage,
  RunApi,
  StartRun,
  StepReply,
  TranscriptPage,
} from "../../src/durable/contract.ts";
import type { HttpBindings, HttpPorts, LogEntry } from "../../src/http/context.ts";

export const NOW = Date.UTC(2026, 10, 30, 12);

export const PLAN: StoredPlan = {
  runId: "run_of_the_plan",
  answeredAt: NOW - 86_400_000,
  answer: "42",
  results: ["r1"],
  citations: [],
  unsupported: [],
  chart: null,
  steps: [
    {
      key: "1.a",
      tool: "execute_read_only_sql",
      args: { sql: "SELECT 42" },
      round: 2,
      ref: "r1",
      sha256: "0",
      rows: 1,
    },
  ],
};

export class FakeRun implements RunApi {
  readonly calls: string[] = [];
  readonly outgoingCalls: OutgoingCall[] = [];
  /** To the next presses of buttons. */
  outgoingReply: OutgoingReply | null = null;
  readonly events: NumberedEvent[] = [];
  readonly results = new Map<string, ResultPage>();
  run: PublicRun | null = null;
  started: StartRun | null = null;
  driver: Driver | null = null;
  stepsToEnd = 2;
  /** Replies that come before any real step. */
  readonly script: (StepReply["kind"] | Error)[] = [];
  carried: { readonly request: CarryOn; readonly driver: Driver } | null = null;
  carryOnReply: CarryOnReply | null = null;
  planReply: PlanReply | null = null;
  /** Puts the new run into its own object. */
  onCarryOn: ((run: PublicRun) => void) | null = null;
  waitingUntil: string | null = null;
  waitingKind: "retry" | "approval" = "retry";
  decideReply: DecideReply | null = null;
  decided: Decision | Answer | null = null;
  grounded = true;

  async start(input: StartRun, driver: Driver = "alarm"): Promise<PublicRun> {
    this.calls.push("start");
    if (this.run !== null) return this.run;
    this.started = input;
    this.driver = driver;
    const { scopes: _scopes, callbackUrl: _url, plan: _plan, tools, ...fields } = input;
    this.run = toPublicRun(createState({ ...fields, tools: [...tools] }, NOW), { queries: [] }, NOW);
    this.tell("run_started");
    return this.run;
  }

  async view(): Promise<PublicRun | null> {
    this.calls.push("view");
    return this.run;
  }

  async step(_driver?: Driver, isBrief = false): Promise<StepReply> {
    this.calls.push("step");
    const run = this.run;
    if (run === null) return { kind: "not_found" };
    const scripted = this.script.shift();
    if (scripted instanceof Error) throw scripted;
    if (scripted === "waiting") {
      const until = this.waitingUntil ?? new Date(NOW).toISOString();
      const waiting = {
        kind: this.waitingKind,
        since: new Date(NOW).toISOString(),
        until,
        approval: null,
        inquiry: null,
      };
      return { kind: "waiting", run: { ...run, status: "waiting", waiting } };
    }
    if (scripted === "not_found") return { kind: "not_found" };
    if (scripted === "busy") return { kind: "busy", run };
    if (run.status === "finished") return { kind: "finished", run };
    const steps = run.usage.steps + 1;
    this.run = { ...run, usage: { ...run.usage, steps } };
    this.tell("step_finished");
    if (steps >= this.stepsToEnd) this.end("answered", "done");
    return isBrief && this.run.status !== "finished" ? { kind: "went_on" } : { kind: "ran", run: this.run };
  }

  async cancel(): Promise<CancelReply> {
    this.calls.push("cancel");
    const run = this.run;
    if (run === null) return { kind: "not_found" };
    if (run.status === "finished") return { kind: "finished", run };
    this.end("cancelled", "cancelled");
    return { kind: "cancelled", run: this.run ?? run };
  }

  async decide(said: Decision | Answer): Promise<DecideReply> {
    this.calls.push("decide");
    this.decided = said;
    const run = this.run;
    if (run === null) return { kind: "not_found" };
    return this.decideReply ?? { kind: run.status === "finished" ? "finished" : "decided", run };
  }

  async eventsAfter(seq: number, waitMs: number): Promise<EventPage | null> {
    this.calls.push(`eventsAfter ${seq} ${waitMs}`);
    if (this.run === null) return null;
    const from = Math.min(seq, this.events.length);
    const events = this.events.slice(from);
    return { events, finished: this.run.status === "finished", last: from + events.length };
  }

  async result(ref: string, fromRow = 1, toRow = Number.MAX_SAFE_INTEGER): Promise<ResultPage | null> {
    this.calls.push(`result ${ref} ${fromRow} ${toRow}`);
    const stored = this.results.get(ref);
    if (this.run === null || stored === undefined) return null;
    return { ...stored, rows: stored.rows.slice(fromRow - 1, toRow), fromRow };
  }

  async transcript(from = 0): Promise<TranscriptPage | null> {
    this.calls.push(`transcript ${from}`);
    const run = this.run;
    if (run === null) return null;
    const event = this.events[from - 1];
    const entry = event === undefined ? { kind: "run" as const, run } : { kind: "event" as const, ...event };
    return { entries: [entry], next: from < this.events.length ? from + 1 : null };
  }

  async outgoing(call: OutgoingCall): Promise<OutgoingReply> {
    this.calls.push(`outgoing ${call.kind}`);
    this.outgoingCalls.push(call);
    if (this.outgoingReply !== null && call.kind === "press") return this.outgoingReply;
    if (this.run === null || call.kind !== "resend") return { kind: "not_found" };
    const isDue = this.run.status === "finished" && this.started?.callbackUrl !== null;
    return { kind: isDue ? "resent" : "nothing_to_send", run: this.run };
  }

  async carryOn(request: CarryOn, driver: Driver = "alarm"): Promise<CarryOnReply> {
    this.calls.push("carryOn");
    this.carried = { request, driver };
    if (this.carryOnReply !== null) return this.carryOnReply;
    if (this.run === null) return { kind: "not_found" };
    const run: PublicRun = { ...this.run, id: request.id, status: "running", outcome: null, answer: null };
    this.onCarryOn?.(run);
    return { kind: "started", run };
  }

  async offerPlan(): Promise<PlanReply> {
    this.calls.push("offerPlan");
    if (this.planReply !== null) return this.planReply;
    if (this.run === null) return { kind: "not_found" };
    if (this.run.status !== "finished") return { kind: "refused", reason: "not_finished", message: "Wait." };
    return { kind: "plan", plan: PLAN, tools: this.started?.tools ?? [], run: this.run };
  }

  tell(type: string): void {
    this.events.push({ seq: this.events.length + 1, event: { type, at: new Date(NOW).toISOString() } });
  }

  end(outcome: NonNullable<PublicRun["outcome"]>, reason: NonNullable<PublicRun["stop_reason"]>): void {
    if (this.run === null) return;
    this.run = {
      ...this.run,
      status: "finished",
      phase: "finish",
      outcome,
      stop_reason: reason,
      failed: outcome !== "answered",
      answer: outcome === "answered" ? "42" : null,
      grounded: this.grounded && outcome === "answered",
      finished_at: new Date(NOW).toISOString(),
    };
    this.tell("run_finished");
  }
}

export class FakeCaller implements CallerApi {
  readonly admitted: AdmitRequest[] = [];
  readonly settled: Settlement[] = [];
  readonly withdrawn: string[] = [];
  readonly claims = new Map<string, { readonly bodyHash: string; readonly runId: string }>();
  refusal: Extract<AdmitReply, { kind: "refused" }> | null = null;
  inFlight = false;
  /** Ids of runs that have ended. */
  readonly over = new Set<string>();
  /** Begins what was taken, as the real object's alarm does a moment later. */
  onTake: ((start: StartRun) => Promise<unknown>) | null = null;
  readonly taken: TakeRequest[] = [];

  async take(request: TakeRequest): Promise<TakeReply> {
    const { admit, key } = request;
    const claim = key === null ? null : await this.claim(key.name, "", admit.runId);
    const runId = claim !== null && "runId" in claim ? claim.runId : admit.runId;
    const isRepeat = this.admitted.some((known) => known.runId === runId);
    const admission = await this.admit({ ...admit, runId });
    if (admission.kind === "refused") return admission;
    this.taken.push(request);
    if (!isRepeat) await this.onTake?.({ ...(JSON.parse(request.start) as StartRun), id: runId });
    return { kind: "taken", runId, isRepeat };
  }

  async beginTaken(): Promise<boolean> {
    return false;
  }

  async admit(request: AdmitRequest): Promise<AdmitReply> {
    if (this.refusal !== null) return this.refusal;
    if (!this.admitted.some((known) => known.runId === request.runId)) this.admitted.push(request);
    return {
      kind: "admitted",
      ...(this.over.has(request.runId) && { isOver: true }),
      rate: { remaining: request.policy.ratePerMinuteMax - this.admitted.length, resetS: 30 },
    };
  }

  async claim(key: string, bodyHash: string, runId: string): Promise<ClaimReply> {
    if (this.inFlight) return { kind: "in_flight" };
    const known = this.claims.get(key);
    const expiresAt = NOW + 86_400_000;
    if (known === undefined) {
      this.claims.set(key, { bodyHash, runId });
      return { kind: "claimed", runId, expiresAt };
    }
    return known.bodyHash === bodyHash ? { kind: "same", runId: known.runId, expiresAt } : { kind: "other_body" };
  }

  async withdraw(runId: string): Promise<void> {
    this.withdrawn.push(runId);
  }

  async settle(settlement: Settlement): Promise<void> {
    this.settled.push(settlement);
  }

  async usage(): Promise<readonly DayUsage[]> {
    return [];
  }

  async figures(): Promise<RecentFigures> {
    const outcomes = { answered: 0, stopped: 0, failed: 0, cancelled: 0, lost: 0 };
    return { runs: 0, runsMax: 1_000, outcomes, runCost: null, runTime: null };
  }

  async list(cursor: string | null, limit: number): Promise<LedgerPage | null> {
    const all = this.admitted
      .map(({ runId, question, reserveNanoUsd }) => ({
        id: runId,
        question,
        admittedAt: NOW,
        reservedNanoUsd: reserveNanoUsd,
        costNanoUsd: 0,
        outcome: null,
      }))
      .reverse();
    const start = cursor === null ? 0 : Number(cursor);
    if (!Number.isInteger(start)) return null;
    return { runs: all.slice(start, start + limit), next: start + limit < all.length ? String(start + limit) : null };
  }
}

/** Bindings with as many objects as are asked for, and ports whose clock moves only when somebody sleeps. */
export function createWorld(variables: Readonly<Record<string, unknown>> = { QUERENT_LOCAL: "1" }) {
  const runs = new Map<string, FakeRun>();
  const callers = new Map<string, FakeCaller>();
  const logs: LogEntry[] = [];
  const kept: Promise<unknown>[] = [];
  let now = NOW;
  const sleepers: { readonly at: number; wake(): void }[] = [];
  let ids = 0;
  const prepare: ((run: FakeRun) => void)[] = [];
  const namespace = <T>(objects: Map<string, T>, create: () => T) => ({
    idFromName: (name: string) => ({ name }) as unknown as DurableObjectId,
    get(id: DurableObjectId): T {
      const name = id.name ?? "";
      const found = objects.get(name) ?? create();
      objects.set(name, found);
      return found;
    },
  });
  const ports: HttpPorts = {
    now: () => now,
    // Work that needs no time wins every race against the clock; then the earliest sleeper wakes, one at a time.
    sleep(ms) {
      return new Promise((resolve) => {
        sleepers.push({ at: now + ms, wake: resolve });
        sleepers.sort((a, b) => a.at - b.at);
        setImmediate(() => {
          const first = sleepers.shift();
          now = Math.max(now, first?.at ?? now);
          first?.wake();
        });
      });
    },
    // Nothing is ever late, unless a test puts in a clock of its own.
    after: () => () => undefined,
    randomBytes(count) {
      ids += 1;
      return Uint8Array.from({ length: count }, (_, index) => (ids * 7 + index) & 255);
    },
    newId: () => "00000000-0000-4000-8000-000000000000",
    log: (entry) => logs.push(entry),
  };
  const bindings: HttpBindings = {
    ...variables,
    DB: null as unknown as D1Database,
    RUNS: namespace(runs, () => {
      const run = new FakeRun();
      run.onCarryOn = (carried) => {
        const child = new FakeRun();
        child.run = carried;
        if (!runs.has(carried.id)) runs.set(carried.id, child);
      };
      for (const change of prepare) change(run);
      return run;
    }),
    CALLERS: namespace(callers, () => {
      const caller = new FakeCaller();
      caller.onTake = async (start) => bindings.RUNS.get(bindings.RUNS.idFromName(start.id)).start(start, "alarm");
      return caller;
    }),
  } as unknown as HttpBindings;
  const context = {
    waitUntil: (promise: Promise<unknown>) => kept.push(promise),
    passThroughOnException: () => undefined,
    props: {},
  } as unknown as ExecutionContext;
  return { bindings, ports, context, runs, callers, logs, kept, prepare };
}

export type World = ReturnType<typeof createWorld>;
