/**
 * The caller object: one Durable Object a caller, named by the caller's name. It counts what the caller may do over all
 * runs and doors: dollars of the day, questions a minute, runs at once; and it knows the caller's runs and keys.
 *
 * Owns: the RPC surface (caller-contract.ts says what each method promises), that questions of doors which must answer at
 * once are taken in together and begun by the alarm, and the look after runs that were admitted and never settled: the
 * alarm asks their run objects, so that a run which dies gives its place and money back.
 * Leaves to others: the tables (ledger.ts, claims.ts, inbox.ts).
 */
import { DurableObject } from "cloudflare:workers";
import { createBatch } from "./batch.ts";
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
} from "./caller-contract.ts";
import { claimKey } from "./claims.ts";
import type { DurableBindings } from "./contract.ts";
import { isPlatformError, logBug, logLine } from "./faults.ts";
import { dropStart, dueStarts, type KeptStart, keepStart, keptStart, nextStartAt, postponeStart } from "./inbox.ts";
import {
  admitRun,
  type EndOutcome,
  migrateLedger,
  nextCheckAt,
  overdueRuns,
  postponeCheck,
  settleRun,
  takeAlerts,
} from "./ledger.ts";
import { recentFigures } from "./ledger-figures.ts";
import { listDays, listRuns } from "./ledger-views.ts";
import { withdrawRun } from "./withdrawal.ts";

const ALERT_PERCENTS = [50, 80] as const;
/** A run that goes on is asked for again after this. */
const CHECK_EVERY_MS = 10 * 60_000;
/** A run is over after a day. One that cannot be asked for longer counts at all it held. */
const GIVE_UP_MS = 25 * 60 * 60_000;
/** Asked in parallel; an object has six connections. */
const CHECKS_AT_ONCE = 5;
/** Runs begun at once: each reads the schema of a database that does one thing at a time. */
const STARTS_AT_ONCE = 8;

export class CallerObject extends DurableObject<DurableBindings> implements CallerApi {
  private readonly taking = createBatch(async (runTasks) => {
    this.ctx.storage.transactionSync(runTasks);
    // In the same turn: the questions and the alarm that begins them are one write.
    await this.setAlarm();
  });

  constructor(ctx: DurableObjectState, env: DurableBindings) {
    super(ctx, env);
    migrateLedger(ctx.storage);
  }

  async admit(request: AdmitRequest): Promise<AdmitReply> {
    const reply = this.ctx.storage.transactionSync(() => admitRun(this.ctx.storage.sql, request, Date.now()));
    await this.armNext();
    return reply;
  }

  async take(request: TakeRequest): Promise<TakeReply> {
    return this.taking.add(() => this.takeNow(request, Date.now()));
  }

  async beginTaken(runId: string): Promise<boolean> {
    const kept = keptStart(this.ctx.storage.sql, runId);
    if (kept !== null) await this.begin(kept);
    return kept !== null;
  }

  async withdraw(runId: string): Promise<void> {
    const { storage } = this.ctx;
    storage.transactionSync(() => withdrawRun(storage.sql, runId));
  }

  async settle(settlement: Settlement): Promise<void> {
    this.record(settlement.runId, settlement.costNanoUsd, settlement.outcome);
  }

  async claim(key: string, bodyHash: string, runId: string, keptMs?: number): Promise<ClaimReply> {
    const { storage } = this.ctx;
    return storage.transactionSync(() => claimKey(storage.sql, key, bodyHash, runId, Date.now(), keptMs));
  }

  async list(cursor: string | null, limit: number): Promise<LedgerPage | null> {
    return listRuns(this.ctx.storage.sql, cursor, limit);
  }

  async usage(daysMax: number): Promise<readonly DayUsage[]> {
    return listDays(this.ctx.storage.sql, daysMax, ALERT_PERCENTS);
  }

  async figures(): Promise<RecentFigures> {
    return recentFigures(this.ctx.storage.sql);
  }

  /** Begins what was taken, and looks after runs that nobody has heard of. */
  override async alarm(): Promise<void> {
    try {
      const { sql } = this.ctx.storage;
      for (let starts = this.dueStarts(); starts.length > 0; starts = this.dueStarts()) {
        await Promise.all(starts.map((kept) => this.begin(kept)));
      }
      const overdue = [...overdueRuns(sql, Date.now())];
      while (overdue.length > 0) {
        await Promise.all(overdue.splice(0, CHECKS_AT_ONCE).map((run) => this.check(run)));
      }
    } catch (error) {
      if (isPlatformError(error)) throw error;
      logBug("caller_alarm", null, error);
    }
    await this.armNext();
  }

  private takeNow(request: TakeRequest, now: number): TakeReply {
    const { sql } = this.ctx.storage;
    const { admit, key } = request;
    const claim = key === null ? null : claimKey(sql, key.name, "", admit.runId, now, key.keptMs);
    const runId = claim !== null && "runId" in claim ? claim.runId : admit.runId;
    const isKnown = sql.exec("SELECT 1 FROM runs WHERE id = ?", runId).toArray().length > 0;
    const admission = admitRun(sql, { ...admit, runId }, now);
    if (admission.kind === "refused") return admission;
    if (!isKnown) keepStart(sql, runId, request.start, now);
    return { kind: "taken", runId, isRepeat: isKnown };
  }

  private dueStarts(): readonly KeptStart[] {
    return dueStarts(this.ctx.storage.sql, Date.now(), STARTS_AT_ONCE);
  }

  /** `start` gives the run as it is when it has begun before, so doing this twice is no harm. */
  private async begin(kept: KeptStart): Promise<void> {
    const { sql } = this.ctx.storage;
    const runs = this.env.RUNS;
    try {
      await runs.get(runs.idFromName(kept.start.id)).start(kept.start, "alarm");
      dropStart(sql, kept.start.id);
    } catch (error) {
      if (!isPlatformError(error)) logBug("begin", null, error);
      postponeStart(sql, kept, Date.now());
    }
  }

  private async check(run: ReturnType<typeof overdueRuns>[number]): Promise<void> {
    const { sql } = this.ctx.storage;
    const runs = this.env.RUNS;
    const account = await runs
      .get(runs.idFromName(run.id))
      .account()
      .catch(() => "unreachable" as const);
    const now = Date.now();
    // One that was taken and has not begun yet is nobody's loss.
    if (account === null && keptStart(sql, run.id) === null) return this.record(run.id, 0, "lost", true);
    if (account !== "unreachable" && account !== null && account.outcome !== null) {
      return this.record(run.id, account.costNanoUsd, account.outcome, true);
    }
    if (account === "unreachable" && now > run.admittedAt + GIVE_UP_MS) {
      return this.record(run.id, run.reservedNanoUsd, "lost", true);
    }
    postponeCheck(sql, run.id, now + CHECK_EVERY_MS);
  }

  private record(runId: string, costNanoUsd: number, outcome: EndOutcome, isFound = false): void {
    const { storage } = this.ctx;
    storage.transactionSync(() => {
      const day = settleRun(storage.sql, runId, costNanoUsd, outcome, Date.now(), isFound);
      for (const percent of takeAlerts(storage.sql, day, ALERT_PERCENTS)) {
        logLine("warn", { event: "daily_budget_alert", caller: this.ctx.id.name ?? "unknown", percent });
      }
    });
  }

  private nextAt(): number | null {
    const { sql } = this.ctx.storage;
    const [check, start] = [nextCheckAt(sql), nextStartAt(sql)];
    return check === null || start === null ? (check ?? start) : Math.min(check, start);
  }

  private async setAlarm(): Promise<void> {
    const at = this.nextAt();
    if (at !== null) await this.ctx.storage.setAlarm(Math.max(Date.now() + 1, at));
  }

  private async armNext(): Promise<void> {
    const at = this.nextAt();
    if (at === null) return;
    const current = await this.ctx.storage.getAlarm();
    const wanted = Math.max(Date.now() + 1, at);
    if (current === null || current > wanted) await this.ctx.storage.setAlarm(wanted);
  }
}
