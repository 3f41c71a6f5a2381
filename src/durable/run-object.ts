/**
 * The run object: one Durable Object a run, named by the run's id. Here the platform meets the core, and nothing else.
 *
 * Owns: the RPC surface (contract.ts says what each method promises), the alarm handler, which driver acts. O1: one
 * driver. O2: not finished means an alarm is set. O4: `alarm()` throws only the platform's own errors, which the
 * platform answers with a retry. Leaves to others: the step (driver.ts), storage (journal.ts), due times (schedule.ts),
 * what is shown (projections.ts).
 */
import { DurableObject, tracing } from "cloudflare:workers";
import type { PublicRun } from "../agent/view.ts";
import { assert } from "../lib/assert.ts";
import { createAftermath, retentionMsOf, toAccount } from "./aftermath.ts";
import { alarmAt, isEarlier, isLost, isSoon } from "./alarm.ts";
import { createBell } from "./bell.ts";
import type {
  Account,
  Answer,
  CancelReply,
  CarryOn,
  CarryOnReply,
  DecideReply,
  Decision,
  Driver,
  DurableBindings,
  EventPage,
  KinRow,
  OutgoingCall,
  OutgoingReply,
  PlanReply,
  ResultPage,
  RunApi,
  RunKinApi,
  RunLedgerApi,
  Seed,
  StartRun,
  StepReply,
  TranscriptPage,
} from "./contract.ts";
import { applyCancel, applyDecision } from "./decision.ts";
import { createDeliveries } from "./deliveries.ts";
import { createStepDriver } from "./driver.ts";
import { createWakeGuard } from "./failing-wakes.ts";
import { openJournal, type RunJournal } from "./journal.ts";
import { adoptRun, carryOnRun, readChildren, readKinRows } from "./kin.ts";
import { createOnce } from "./once.ts";
import { beginRun } from "./opening.ts";
import { answerCall } from "./outgoing.ts";
import { keptFrom, offerPlan } from "./plan-offer.ts";
import { awaitEvents, findResultPage, toTranscriptPage, toView } from "./projections.ts";
import { CALLER_GRACE_MS, duesOf, mayStep, WATCHDOG_MS } from "./schedule.ts";
import type { RunSettings } from "./settings.ts";
import { createWiring, type Wiring } from "./wiring.ts";

type NotFound = Extract<CancelReply, { readonly kind: "not_found" }>;

export class RunObject extends DurableObject<DurableBindings> implements RunApi, RunLedgerApi, RunKinApi {
  private readonly driver = createStepDriver();
  private readonly bell = createBell();
  private readonly beginning = createOnce();
  private readonly deliveries = createDeliveries(this.ctx.storage, this.env);
  private readonly aftermath = createAftermath(this.ctx.storage, this.env.CALLERS, () => retentionMsOf(this.env));
  private readonly guard = createWakeGuard(this.ctx.storage);
  private opened: RunJournal | null = null;
  private wired: Wiring | null = null;
  /** Until then a waiting request drives. In memory only: after a restart the alarm does. */
  private callerDrivesUntil = 0;
  /** For when the alarm was set last, as far as this memory knows. */
  private armedFor = 0;

  async start(input: StartRun, driver: Driver = "alarm"): Promise<PublicRun> {
    return this.begin(driver, () => beginRun(this.ctx.storage, input, this.wire({ ...input, inheritedNanoUsd: 0 })));
  }

  async view(): Promise<PublicRun | null> {
    const journal = await this.touch();
    return journal === null ? null : this.show(journal);
  }

  async step(driver: Driver = "caller", isBrief = false): Promise<StepReply> {
    const journal = this.journal();
    if (journal === null) return { kind: "not_found" };
    const now = Date.now();
    if (driver === "caller") this.leaveToCaller(journal, now);
    if (journal.load().ending !== null) return { kind: "finished", run: this.show(journal) };
    if (this.driver.isBusy(now)) return { kind: "busy", run: this.show(journal) };
    const kind = await this.runOnce(journal, now);
    const isEnough = isBrief && kind === "ran" && journal.load().ending === null;
    return isEnough ? { kind: "went_on" } : { kind, run: this.show(journal) };
  }

  async decide(said: Decision | Answer): Promise<DecideReply> {
    return this.onRun((journal) => {
      const kind = applyDecision(journal, said, Date.now());
      // Whoever drove until a person was asked has had that for an answer.
      if (kind === "decided") this.callerDrivesUntil = 0;
      return { kind, run: this.show(journal) };
    });
  }

  async cancel(): Promise<CancelReply> {
    return this.onRun((journal) => {
      const kind = applyCancel(journal, Date.now());
      if (kind === "cancelled") this.driver.abort();
      return { kind, run: this.show(journal) };
    });
  }

  async eventsAfter(seq: number, waitMs: number): Promise<EventPage | null> {
    const journal = await this.touch();
    return journal === null ? null : awaitEvents(journal, this.bell, seq, waitMs);
  }

  async result(ref: string, fromRow = 1, toRow = Number.MAX_SAFE_INTEGER): Promise<ResultPage | null> {
    return findResultPage(this.journal(), ref, fromRow, toRow);
  }

  async transcript(from = 0): Promise<TranscriptPage | null> {
    const journal = this.journal();
    return journal === null ? null : toTranscriptPage(journal, from, this.show(journal));
  }

  async carryOn(request: CarryOn, driver: Driver = "alarm"): Promise<CarryOnReply> {
    const to = this.objectOf(request.id);
    return this.onRun((journal) => carryOnRun(this.ctx.storage.sql, journal, request, to, driver));
  }

  async offerPlan(): Promise<PlanReply> {
    return this.onRun((journal) => offerPlan(this.ctx.storage.sql, journal, this.show(journal), Date.now()));
  }

  async adopt(seed: Seed, driver: Driver): Promise<PublicRun> {
    return this.begin(driver, () => adoptRun(this.ctx.storage, seed, this.objectOf(seed.parentId)));
  }

  async kinRows(from: number, upTo: number): Promise<readonly KinRow[]> {
    return readKinRows(this.ctx.storage.sql, from, upTo);
  }

  async outgoing(call: OutgoingCall): Promise<OutgoingReply> {
    return this.onRun((journal) => answerCall(journal, call, this.deliveries.save, this));
  }

  async account(): Promise<Account | null> {
    const journal = await this.touch();
    return journal === null ? null : toAccount(journal);
  }

  override alarm(): Promise<void> {
    return this.guard.run({ act: () => this.wake(), setAlarm: (at) => this.setAlarm(at), journal: () => this.opened });
  }

  /** The things that act for a run. A test replaces it. */
  protected wire(settings: RunSettings): Wiring {
    return createWiring(this.env, settings, tracing);
  }

  /** The run as it is, or after `create` has written it. However often it is called, `create` runs once at a time. */
  private async begin(driver: Driver, create: () => Promise<void>): Promise<PublicRun> {
    const known = await this.touch();
    if (known !== null) return this.show(known);
    await this.beginning.run(create);
    const journal = this.journal();
    assert(journal !== null, "a run that was just written is there");
    if (driver === "caller") this.leaveToCaller(journal, Date.now());
    await this.armNext(journal);
    return this.show(journal);
  }

  /** What is due at this wake. */
  private async wake(): Promise<void> {
    const journal = await this.touch();
    // What a start that was cut off has left.
    if (journal === null) return this.beginning.isRunning() ? undefined : this.ctx.storage.deleteAll();
    const now = Date.now();
    const isBusy = this.driver.isBusy(now);
    if (journal.load().ending !== null) {
      const isKept = await this.aftermath.run(journal, isBusy, now);
      if (isKept) await this.deliveries.sendDue(journal);
      else this.opened = null;
      return isKept ? this.armNext(journal) : undefined;
    }
    const sending = this.deliveries.sendDue(journal);
    const callerDrives = now < this.callerDrivesUntil;
    if (!isBusy && !callerDrives && mayStep(journal.load(), now)) await this.runOnce(journal, now);
    else await this.armNext(journal);
    if (await sending) await this.armNext(journal);
  }

  /** Runs one step. Nothing is awaited between the caller's check of `isBusy` and the start of the step (O1). */
  private async runOnce(journal: RunJournal, now: number): Promise<"ran" | "waiting" | "busy"> {
    this.wired ??= this.wire(journal.settings);
    const watchdog = isSoon(this.armedFor, now) ? null : this.setAlarm(now + WATCHDOG_MS);
    const [result] = await Promise.all([this.driver.drive(journal, this.wired), watchdog]);
    await this.armNext(journal);
    if (result.kind === "wait") return "waiting";
    return result.kind === "superseded" && journal.load().ending === null ? "busy" : "ran";
  }

  /** Only in auto mode: what a manual step has left under way is the alarm's alone. */
  private leaveToCaller(journal: RunJournal, now: number): void {
    if (journal.load().mode === "auto") this.callerDrivesUntil = now + CALLER_GRACE_MS;
  }

  private show(journal: RunJournal): PublicRun {
    return toView(journal, readChildren(this.ctx.storage.sql), Date.now());
  }

  /** What a door asks of a run; whatever it has made due, the alarm is set for. */
  private async onRun<Reply>(act: (journal: RunJournal) => Reply | Promise<Reply>): Promise<Reply | NotFound> {
    const journal = await this.touch();
    if (journal === null) return { kind: "not_found" };
    return Promise.resolve(act(journal)).finally(() => this.armNext(journal));
  }

  private objectOf(runId: string): RunApi & RunKinApi {
    return this.env.RUNS.get(this.env.RUNS.idFromName(runId));
  }

  private journal(): RunJournal | null {
    const id = this.ctx.id.name ?? this.ctx.id.toString();
    this.opened ??= openJournal(this.ctx.storage, id, Date.now(), () => this.bell.ring());
    return this.opened;
  }

  /** The journal, after making sure that a lost alarm is set again (O2). */
  private async touch(): Promise<RunJournal | null> {
    const journal = this.journal();
    if (journal !== null && isLost(await this.ctx.storage.getAlarm(), Date.now())) await this.armNext(journal);
    return journal;
  }

  private async armNext(journal: RunJournal): Promise<void> {
    const now = Date.now();
    const driver = this.driver.isBusy(now) ? "busy" : now < this.callerDrivesUntil ? "caller" : "alarm";
    const duties = {
      settleAt: this.aftermath.settleAt(journal, now),
      deliveryAt: this.deliveries.dueAt(journal),
      keptFrom: keptFrom(journal),
      retentionMs: retentionMsOf(this.env),
    };
    const at = alarmAt(duesOf(journal.load(), driver, duties, now), now);
    // Setting an alarm costs as much as the rest of a save: at each step of a waiting caller the last one will do.
    if (driver !== "caller" || !isEarlier(this.armedFor, at, now)) await this.setAlarm(at);
  }

  private async setAlarm(at: number): Promise<void> {
    this.armedFor = at;
    await this.ctx.storage.setAlarm(at);
  }
}
