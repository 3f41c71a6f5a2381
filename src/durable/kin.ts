/**
 * Carrying a finished run on in another run object (`continue`, `fork`): what the old one offers, how the new one copies.
 *
 * The old object checks and makes the first state (agent/fork.ts); the new one fetches the rows in pages, so that no
 * message between them is large, and becomes a run with its last write: until then it is nothing, and doing it again
 * starts over. The old run is only read; that it has a child is noted beside it.
 */
import * as z from "zod";
import { forkState } from "../agent/fork.ts";
import { limitChanges } from "../agent/limit-changes.ts";
import type { Message } from "../agent/model.ts";
import { carriedOnText } from "../agent/nudges.ts";
import type { RunEvent } from "../agent/run-event.ts";
import { decodeState, encodeState } from "../agent/state-record.ts";
import type { PublicRun } from "../agent/view.ts";
import { assert } from "../lib/assert.ts";
import { decodeJson } from "../lib/json.ts";
import { err, ok, type Result } from "../lib/result.ts";
import type { CarryOn, CarryOnRefusal, CarryOnReply, Driver, KinRow, RunKinApi, Seed } from "./contract.ts";
import { readFact, writeFact } from "./facts.ts";
import { type RunJournal, writeFirst } from "./journal.ts";
import { migrate } from "./layout.ts";
import { PINNED } from "./record.ts";
import { readStepRow, writeStepRow } from "./rows.ts";
import { decodeSettings, encodeSettings } from "./settings.ts";
import { eventSchema } from "./step-body.ts";

type Children = PublicRun["children"];

const childrenSchema: z.ZodType<Children> = z.array(
  z.strictObject({ id: z.string(), step: z.int(), kind: z.string() }),
);
const CHILDREN = "children";
/** Characters after which a page of rows is closed. */
const PAGE_CHARS_MAX = 2_000_000;

/** After this, what an adoption that was cut off has left is deleted. */
const LEFTOVER_MS = 10 * 60_000;

/** Checks `request` and has `child` adopt what comes of it. */
export async function carryOnRun(
  sql: SqlStorage,
  journal: RunJournal,
  request: CarryOn,
  child: RunKinApi,
  driver: Driver,
): Promise<CarryOnReply> {
  const seed = planSeed(sql, journal, request, Date.now());
  if (!seed.ok) return { kind: "refused", ...seed.error };
  const run = await child.adopt(seed.value, driver);
  noteChild(sql, run);
  return { kind: "started", run };
}

/** What the new run starts with, or why it cannot. Without a step it goes on from the last one. */
export function planSeed(
  sql: SqlStorage,
  journal: RunJournal,
  request: CarryOn,
  now: number,
): Result<Seed, CarryOnRefusal> {
  const parent = journal.load();
  if (parent.ending === null || parent.attempt !== null) {
    const what =
      parent.ending === null ? "The run is not finished" : "The bill of the run's last call is still awaited";
    return err({ reason: "not_finished", message: `${what}. Wait for it, or cancel the run first.` });
  }
  const checkpoints = journal.checkpoints();
  const last = checkpoints.at(-1)?.state.usage.steps ?? 0;
  const step = request.step ?? last;
  const checkpoint = checkpoints.find(({ state }) => state.usage.steps === step);
  if (checkpoint === undefined) {
    const message = `There is no step ${step} of this run to start from; the last one is ${last}.`;
    return err({ reason: "no_such_step", message });
  }
  if (journal.messages().length < checkpoint.state.messages) {
    const message = `The record of this run is broken before step ${step}, so nothing can go on from there. Ask again.`;
    return err({ reason: "not_continuable", message });
  }
  // Of an older worker's request, while a release spreads: then what the old run was allowed holds on.
  const { scopes = journal.settings.scopes, approveAboveRows = null } = request.terms ?? {};
  const forked = forkState(checkpoint.state, parent, { ...request, approveAboveRows }, now);
  if (!forked.ok) return forked;
  const { usage, phase, messages, events } = forked.value;
  const { kind, id, limits } = request;
  const changes = limitChanges(parent.limits, limits);
  // The model is told too: what it read of its limits is no longer so. A fork's messages are those of its step.
  const isTold = kind === "continue" && changes.length > 0;
  const note = isTold ? carriedOnText(changes, limits, usage) : null;
  const event: RunEvent = {
    type: "run_forked",
    at: now,
    step: usage.steps,
    phase,
    from: parent.id,
    fromStep: step,
    kind,
    limits: changes,
  };
  const inheritedNanoUsd = parent.usage.costNanoUsd;
  return ok({
    parentId: journal.settings.id,
    settings: encodeSettings({
      ...journal.settings,
      id,
      limits,
      scopes,
      inheritedNanoUsd,
      slack: request.slack ?? null,
    }),
    state: encodeState({ ...forked.value, events: events + 1, messages: messages + (note === null ? 0 : 1) }),
    event: JSON.stringify(event),
    note,
    pinned: readFact(sql, PINNED) ?? "",
    steps: checkpoint.number + 1,
  });
}

/** Rows in stored form, from number `from`, before `upTo`: at least one if there is one. */
export function readKinRows(sql: SqlStorage, from: number, upTo: number): readonly KinRow[] {
  const rows: KinRow[] = [];
  let chars = 0;
  for (let number = from; number < upTo && chars < PAGE_CHARS_MAX; number += 1) {
    const row = readStepRow(sql, number);
    if (row === null) break;
    chars += row.state.length + row.body.length;
    rows.push(row);
  }
  return rows;
}

/** Makes a run of this object, which holds none. Throws when the old run cannot be read to the end. */
export async function adoptRun(storage: DurableObjectStorage, seed: Seed, parent: RunKinApi): Promise<void> {
  const settings = decodeSettings(seed.settings);
  const state = decodeState(seed.state);
  const event = decodeJson(seed.event, eventSchema);
  const messages: readonly Message[] = typeof seed.note === "string" ? [{ role: "user", text: seed.note }] : [];
  assert(settings.ok && state.ok && event !== null, "a seed is made by this release or the one before");
  // What an attempt that was cut off has left.
  await storage.deleteAll();
  await storage.setAlarm(Date.now() + LEFTOVER_MS);
  storage.transactionSync(() => migrate(storage.sql, Date.now()));
  let from = 0;
  while (from < seed.steps) {
    const rows = await parent.kinRows(from, seed.steps);
    assert(rows.length > 0, `row ${from} of the run to carry on is missing`);
    const first = from;
    storage.transactionSync(() => {
      rows.forEach(({ state: text, body }, index) => {
        writeStepRow(storage.sql, first + index, text, body);
      });
    });
    from += rows.length;
  }
  storage.transactionSync(() => {
    writeFact(storage.sql, PINNED, seed.pinned);
    writeFirst(storage.sql, settings.value, { state: state.value, messages, events: [event] });
  });
}

export function readChildren(sql: SqlStorage): Children {
  return decodeJson(readFact(sql, CHILDREN) ?? "[]", childrenSchema) ?? [];
}

/** Notes a run that carries on from this one; once. */
export function noteChild(sql: SqlStorage, child: PublicRun): void {
  const known = readChildren(sql);
  if (child.parent === null || known.some(({ id }) => id === child.id)) return;
  const { step, kind } = child.parent;
  writeFact(sql, CHILDREN, JSON.stringify([...known, { id: child.id, step, kind }]));
}
