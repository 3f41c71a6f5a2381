/**
 * The run object: one Durable Object a run, named by the run's id. Here the platform meets the core, and nothing else.
 *
 * Owns: the RPC surface (contract.ts says what each method promises), the alarm handler, which driver acts. O1: one
 * driver. O2: not finished means an alarm is set. O4: `alarm()` throws only the platform's own errors, which the
 * platform answers with a retry. Leaves to others: the step (driver.ts), storage (journal.ts), due times (schedule.ts),
 * what is shown (projections.ts).
 */
import { DurableObject } from "cloudflare:workers";
import { advance } from "../agent/advance.ts";
import { tellFindings } from "../agent/findings.ts";
import type { PublicRun } from "../agent/view.ts";
import { assert } from "../lib/assert.ts";
import { createBell } from "./bell.ts";
import type {
  Account,
  CancelReply,
  Driver,
  DurableBindings,
  EventPage,
  ResultPage,
  RunApi,
  RunLedgerApi,
  StartRun,
  StepReply,
  TranscriptPage,
} from "./contract.ts";
import { createStepDriver } from "./driver.ts";
import { countFailingWake, forgetFailingWakes } from "./failing-wakes.ts";
import { isPlatformError, logBug } from "./faults.ts";
import { createRun, openJournal, type RunJournal } from "./journal.ts";
import { openRun } from "./opening.ts";
import { toEventPage, toResultPage, toTranscriptPage, toView } from "./projections.ts";
import {
  alarmAt,
  CALLER_GRACE_MS,
  duesOf,
  isLost,
  lateBillAt,
  mayStep,
  RETENTION_MS,
  WATCHDOG_MS,
} from "./schedule.ts";
import type { RunSettings } from "./settings.ts";
import { createSettler, toAccount } from "./settler.ts";
import { createWiring, type Wiring } from "./wiring.ts";

/** A reader that waits longer asks again; proxies drop silent connections after half a minute. */
const EVENTS_WAIT_MS_MAX = 25_000;
const FINDINGS_BYTES_MAX = 6_000;

export class RunObject extends DurableObject<DurableBindings> implements RunApi, RunLedgerApi {
  private readonly driver = createStepDriver();
  private readonly bell = createBell();
  private readonly settler = createSettler(this.ctx.storage, this.env.CALLERS);
  private opened: RunJournal | null = null;
  private wired: Wiring | null = null;
  private starting: Promise<PublicRun> | null = null;
  /** Until then a waiting request drives. In memory only: after a restart the alarm does. */
  private callerDrivesUntil = 0;
  /** For when the alarm was set last, as far as this memory knows. */
  private armedFor = 0;

  async start(input: StartRun, driver: Driver = "alarm"): Promise<PublicRun> {
    const journal = await this.touch();
    if (journal !== null) return toView(journal, Date.now());
    this.starting ??= this.open(input, driver).finally(() => {
      this.starting = null;
    });
    return this.starting;
  }

  async view(): Promise<PublicRun | null> {
    const journal = await this.touch();
    return journal === null ? null : toView(journal, Date.now());
  }

  async step(driver: Driver = "caller"): Promise<StepReply> {
    const journal = this.journal();
    if (journal === null) return { kind: "not_found" };
    const now = Date.now();
    if (driver === "caller") this.callerDrivesUntil = now + CALLER_GRACE_MS;
    if (journal.load().ending !== null) return { kind: "finished", run: toView(journal, now) };
    if (this.driver.isBusy(now)) return { kind: "busy", run: toView(journal, now) };
    const kind = await this.runOnce(journal, now);
    return { kind, run: toView(journal, Date.now()) };
  }

  async cancel(): Promise<CancelReply> {
    const journal = await this.touch();
    if (journal === null) return { kind: "not_found" };
    const now = Date.now();
    if (journal.load().ending !== null) return { kind: "finished", run: toView(journal, now) };
    const partial = tellFindings(journal.results(), FINDINGS_BYTES_MAX);
    journal.save(advance(journal.load(), { kind: "cancelled", partial }, now), []);
    this.driver.abort();
    await this.armNext(journal);
    return { kind: "cancelled", run: toView(journal, now) };
  }

  async eventsAfter(seq: number, waitMs: number): Promise<EventPage | null> {
    const journal = await this.touch();
    if (journal === null) return null;
    const page = toEventPage(journal, seq);
    if (page.events.length > 0 || page.finished || waitMs <= 0) return page;
    await this.bell.wait(Math.min(waitMs, EVENTS_WAIT_MS_MAX));
    return toEventPage(journal, seq);
  }

  async result(ref: string, fromRow = 1, toRow = Number.MAX_SAFE_INTEGER): Promise<ResultPage | null> {
    const found = this.journal()
      ?.results()
      .find((result) => result.ref === ref);
    return found === undefined ? null : toResultPage(found, fromRow, toRow);
  }

  async transcript(from = 0): Promise<TranscriptPage | null> {
    const journal = this.journal();
    return journal === null ? null : toTranscriptPage(journal, from, Date.now());
  }

  async account(): Promise<Account | null> {
    const journal = await this.touch();
    return journal === null ? null : toAccount(journal);
  }

  override async alarm(): Promise<void> {
    const isFresh = this.opened === null;
    try {
      // First of all, so that a crash from here on is followed by another wake.
      await this.setAlarm(Date.now() + WATCHDOG_MS);
      if (isFresh) await countFailingWake(this.ctx.storage);
      await this.wake();
      if (isFresh) forgetFailingWakes(this.ctx.storage);
    } catch (error) {
      if (isPlatformError(error)) throw error;
      logBug("alarm", this.opened?.load() ?? null, error);
    }
  }

  /** The things that act for a run. A test replaces it. */
  protected wire(settings: RunSettings): Wiring {
    return createWiring(this.env, settings);
  }

  private async open(input: StartRun, driver: Driver): Promise<PublicRun> {
    const wiring = this.wire({ ...input, inheritedNanoUsd: 0 });
    const schema = wiring.model.ok ? await wiring.readSchema() : wiring.model;
    const now = Date.now();
    createRun(this.ctx.storage, openRun(input, wiring.tools, schema, now), now);
    if (driver === "caller") this.callerDrivesUntil = now + CALLER_GRACE_MS;
    const journal = this.journal();
    assert(journal !== null, "a run that was just written is there");
    await this.armNext(journal);
    return toView(journal, now);
  }

  /** What is due at this wake. */
  private async wake(): Promise<void> {
    const journal = this.journal();
    if (journal === null) return this.ctx.storage.deleteAlarm();
    const now = Date.now();
    const state = journal.load();
    if (state.ending !== null) return this.tidyUp(journal, now);
    const callerDrives = now < this.callerDrivesUntil;
    if (!this.driver.isBusy(now) && !callerDrives && mayStep(state, now)) await this.runOnce(journal, now);
    else await this.armNext(journal);
  }

  /** Runs one step. Nothing is awaited between the caller's check of `isBusy` and the start of the step (O1). */
  private async runOnce(journal: RunJournal, now: number): Promise<"ran" | "waiting" | "busy"> {
    this.wired ??= this.wire(journal.settings);
    const { model, tools } = this.wired;
    if (!model.ok) {
      journal.save(advance(journal.load(), { kind: "broke", message: model.error }, now), []);
      await this.armNext(journal);
      return "ran";
    }
    const isWatched = this.armedFor > now + WATCHDOG_MS / 5 && this.armedFor <= now + WATCHDOG_MS;
    const watchdog = isWatched ? null : this.setAlarm(now + WATCHDOG_MS);
    const [result] = await Promise.all([this.driver.drive(journal, { model: model.value, tools }), watchdog]);
    await this.armNext(journal);
    if (result.kind === "wait") return "waiting";
    return result.kind === "superseded" && journal.load().ending === null ? "busy" : "ran";
  }

  /** After the end: the last bill, the caller's ledger, and one day the deletion. */
  private async tidyUp(journal: RunJournal, now: number): Promise<void> {
    const { attempt, ending } = journal.load();
    if (ending !== null && now >= ending.at + RETENTION_MS) {
      await this.ctx.storage.deleteAll();
      this.opened = null;
      return;
    }
    if (attempt !== null && now >= lateBillAt(attempt.abortAt) && !this.driver.isBusy(now)) {
      const bill = { kind: "bill_arrived", costNanoUsd: attempt.reservedNanoUsd } as const;
      journal.save(advance(journal.load(), bill, now), []);
    }
    const settleAt = this.settler.dueAt(journal, now);
    if (settleAt !== null && settleAt <= now) await this.settler.settle(journal);
    await this.armNext(journal);
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
    const driver = now < this.callerDrivesUntil ? "caller" : "alarm";
    const settleAt = this.settler.dueAt(journal, now);
    await this.setAlarm(alarmAt(duesOf(journal.load(), driver, { settleAt }, now), now));
  }

  private async setAlarm(at: number): Promise<void> {
    this.armedFor = at;
    await this.ctx.storage.setAlarm(at);
  }
}
