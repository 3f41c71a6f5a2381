/**
 * One round of tool calls: every call of a reply is executed (reads in parallel, bounded) and answered in order.
 *
 * Owns: the bound on parallel calls, the order of result references, `final_answer` being judged after its neighbours,
 * the size of an observation. Effects only through the tools it is given; it never throws but for a bug in one.
 */
import { assert } from "../lib/assert.ts";
import { byteLength, cutToBytes } from "../lib/bytes.ts";
import { sha256Hex } from "../lib/hash.ts";
import { canonicalJson } from "../lib/json.ts";
import type { RecentCall } from "./cycles.ts";
import { FINAL_ANSWER, type Prepared } from "./dispatch.ts";
import type { ToolOutcome } from "./event.ts";
import { familyHint, noteTurn, toTurn } from "./families.ts";
import { checkFigures } from "./figures.ts";
import { replyTo } from "./inquiry.ts";
import { failure, OBSERVATION_BYTES_MAX, type Observation, observationSchema } from "./observation.ts";
import { hashObserved, signatureOf } from "./signature.ts";
import type { Inquiry } from "./state.ts";
import type { FinalAnswer, Memo, NewResult, StoredResult, ToolOutput } from "./tool.ts";

/** D1 takes six connections an invocation; two stay free for the rest of the worker. */
const PARALLEL_CALLS_MAX = 4;

const OUT_OF_TIME_ADVICE = ["Send it again with fewer calls beside it, or answer with what has been found."];

export interface Round {
  readonly calls: readonly Prepared[];
  readonly stored: readonly StoredResult[];
  readonly signal: AbortSignal;
  /** Rows that each of the calls may make the database read. */
  readonly rowsReadMax: readonly number[];
  readonly consecutiveErrors: number;
  readonly consecutiveErrorsMax: number;
  readonly step: number;
  readonly question: string;
  readonly memo: Memo;
  /** What the person was asked before this round, with the answer. */
  readonly inquiry: Inquiry | null;
  readonly described: readonly string[];
  readonly bookmark: string | null;
  /** Families of queries that have failed before this round, and the tools that the run may call. */
  readonly failing: readonly string[];
  readonly allowed: readonly string[];
  now(): number;
}

export interface RoundResult {
  readonly outcomes: readonly ToolOutcome[];
  readonly newResults: readonly StoredResult[];
  readonly quarantined: boolean;
}

interface Ran {
  readonly output: ToolOutput;
  readonly durationMs: number;
}

export async function runRound(round: Round): Promise<RoundResult> {
  const shelf = createShelf(round.stored);
  const ran: (Ran | null)[] = round.calls.map(() => null);
  const isFinal = (prepared: Prepared) => prepared.kind === "ready" && prepared.name === FINAL_ANSWER;
  const order = [...round.calls.keys()].sort((a, b) => Number(isFinal(at(round, a))) - Number(isFinal(at(round, b))));
  const turns = createTurns(order);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < order.length) {
      const index = order[next] ?? 0;
      next += 1;
      const prepared = at(round, index);
      if (isFinal(prepared)) await turns.before(index);
      const failed = ran.some((other) => other !== null && other.output.observation.status === "error");
      const startedAt = round.now();
      const output = isFinal(prepared) && failed ? notYetFinal() : await runOne(round, prepared, shelf, turns, index);
      ran[index] = { output, durationMs: round.now() - startedAt };
      turns.done(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL_CALLS_MAX, order.length) }, worker));
  return {
    outcomes: toOutcomes(round, ran, shelf),
    newResults: shelf.added(),
    quarantined: ran.some((one) => one?.output.quarantined === true),
  };
}

function at(round: Round, index: number): Prepared {
  const prepared = round.calls[index];
  assert(prepared !== undefined, "a call of the round");
  return prepared;
}

async function runOne(
  round: Round,
  prepared: Prepared,
  shelf: Shelf,
  turns: Turns,
  index: number,
): Promise<ToolOutput> {
  if (prepared.kind === "refused") return { observation: prepared.observation, rowsRead: 0, query: null };
  if (round.signal.aborted) {
    return {
      observation: failure("Not run: the time of this step is up.", OUT_OF_TIME_ADVICE),
      rowsRead: 0,
      query: null,
    };
  }
  return prepared.checked.run({
    signal: round.signal,
    rowsReadMax: round.rowsReadMax[index] ?? 0,
    memo: round.memo,
    reply: replyTo(round.inquiry, prepared.call.id),
    described: round.described,
    bookmark: round.bookmark,
    results: {
      get: shelf.get,
      put: async (result) => {
        await turns.before(index);
        return shelf.put(result);
      },
    },
  });
}

/** `final_answer` beside a call that failed: the model has not seen that failure yet. */
function notYetFinal(): ToolOutput {
  const observation = failure("The answer was not accepted: another call of the same reply failed.", [
    "Look at the failed call, mend it, and then answer.",
  ]);
  return { observation, rowsRead: 0, query: null };
}

function toOutcomes(round: Round, ran: readonly (Ran | null)[], shelf: Shelf): ToolOutcome[] {
  let errorsInARow = round.consecutiveErrors;
  let { failing } = round;
  return round.calls.map((prepared, index) => {
    const one = ran[index];
    assert(one !== null && one !== undefined, "A5: each call has exactly one result");
    const refusedBy = prepared.kind === "ready" ? null : prepared.refusedBy;
    const counted = refusedBy !== "hops";
    const isError = one.output.observation.status === "error";
    if (counted) errorsInARow = isError ? errorsInARow + 1 : 0;
    const limit = round.consecutiveErrorsMax;
    const stop = `This is error ${Math.min(errorsInARow, limit)} of ${limit} in a row; at ${limit} the run stops.`;
    const note = prepared.kind === "ready" ? prepared.note : null;
    const before = failing;
    const turn = toTurn(prepared, one.output, before);
    failing = noteTurn(before, turn);
    const hint = turn.failed ? familyHint(before, turn.tables, round.allowed) : null;
    const extra = [note, hint, isError && counted ? stop : null].filter((text) => text !== null);
    const observation = withNextActions(one.output.observation, extra);
    return {
      callId: prepared.call.id,
      name: prepared.call.name,
      content: encodeObservation(observation),
      summary: observation.summary,
      isError,
      refusedBy,
      recent: refusedBy === null ? toRecent(round, prepared, one.output, isError) : null,
      rowsRead: one.output.rowsRead,
      query: one.output.query,
      final: toFinal(round, one.output.final, shelf),
      durationMs: one.durationMs,
      memo: one.output.memo ?? null,
      described: one.output.described ?? [],
      bookmark: one.output.bookmark ?? null,
      failing: failing === before ? null : failing,
    };
  });
}

/** An answer with its evidence: the cells it cites itself, then those found for the figures it does not cite. */
function toFinal(round: Round, final: FinalAnswer | undefined, shelf: Shelf): ToolOutcome["final"] {
  if (final === undefined) return null;
  const named = shelf.all().filter((result) => final.results.includes(result.ref));
  const rest = shelf.all().filter((result) => !final.results.includes(result.ref));
  const found = checkFigures(final.answer, round.question, [...named, ...rest], new Set(final.results));
  const cited = new Set(final.citations.map((citation) => citation.figure));
  const citations = [...final.citations, ...found.citations.filter((citation) => !cited.has(citation.figure))];
  return { ...final, evidence: { citations, unsupported: found.unsupported } };
}

/** What the cycle detector keeps of a call: who asked what, and a hash of what came back. */
function toRecent(round: Round, prepared: Prepared, output: ToolOutput, isError: boolean): RecentCall {
  const signature =
    prepared.kind === "ready" ? prepared.checked.signature : signatureOf(prepared.call.name, prepared.call.input);
  const result = hashObserved(output.observation);
  const tool = prepared.kind === "ready" ? prepared.name : prepared.call.name.slice(0, 64);
  return { signature, result, tool, step: round.step, isError, ref: output.query?.ref ?? null };
}

function withNextActions(observation: Observation, extra: readonly string[]): Observation {
  return { ...observation, next_actions: [...observation.next_actions, ...extra] };
}

/** JSON text, never over the bound: data that does not fit is left out and said to be. */
function encodeObservation(observation: Observation): string {
  const text = JSON.stringify(observationSchema.parse(observation));
  if (byteLength(text) <= OBSERVATION_BYTES_MAX) return text;
  // JSON may write a byte as six. The last actions are the loop's own: how many errors are left.
  const summary = `${cutToBytes(observation.summary, 1_000)} (The data is too large to show here.)`;
  const next_actions = observation.next_actions.slice(-4).map((action) => cutToBytes(action, 300));
  return JSON.stringify({
    ...observation,
    summary,
    data: {},
    next_actions,
    artifacts: observation.artifacts.slice(0, 8),
  });
}

interface Shelf {
  get(ref: string): StoredResult | null;
  put(result: NewResult): { readonly stored: StoredResult; readonly seenBefore: boolean };
  all(): readonly StoredResult[];
  added(): readonly StoredResult[];
}

/** The results of the run with those of this round; equal content (columns and rows) has one reference. */
function createShelf(stored: readonly StoredResult[]): Shelf {
  const all = [...stored];
  return {
    get: (ref) => all.find((result) => result.ref === ref) ?? null,
    put: (result) => {
      const sha256 = sha256Hex(canonicalJson([result.columns, result.rows]));
      const same = all.find((other) => other.sha256 === sha256);
      if (same !== undefined) return { stored: same, seenBefore: true };
      const added: StoredResult = { ...result, ref: `r${all.length + 1}`, sha256 };
      all.push(added);
      return { stored: added, seenBefore: false };
    },
    all: () => all,
    added: () => all.slice(stored.length),
  };
}

interface Turns {
  /** Resolves when every call that stands before `index` in the order is done. */
  before(index: number): Promise<void>;
  done(index: number): void;
}

function createTurns(order: readonly number[]): Turns {
  const gates = new Map(order.map((index) => [index, Promise.withResolvers<void>()]));
  return {
    before: async (index) => {
      const ahead = order.slice(0, order.indexOf(index));
      await Promise.all(ahead.map((other) => gates.get(other)?.promise));
    },
    done: (index) => gates.get(index)?.resolve(),
  };
}
