/**
 * Verdicts that were given, so that a statement that comes again costs one round trip instead of two.
 *
 * Objects of one isolate share them over one binding, for callers with the very same scopes: what one caller may read
 * says nothing of another. A verdict is a proof under one schema and an estimate from row counts; run.ts throws rows away
 * when the schema has moved on, and here an estimate is taken for gone when its counts have grown old.
 */
import { canonicalJson } from "../lib/json.ts";
import type { Scopes } from "./scopes.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Verdict } from "./verdict.ts";

export interface Judged {
  readonly verdict: Verdict;
  readonly snapshot: Snapshot;
  /** Column names, once a run has told them. */
  readonly names: readonly string[] | null;
}

export interface KnownVerdicts {
  find(sql: string): Judged | null;
  keep(sql: string, judged: Judged): void;
  drop(sql: string): void;
}

/** Of one caller: a run asks a dozen queries and repeats some; a schedule repeats its own every hour. */
const VERDICTS_MAX = 200;
/** Callers whose verdicts are kept at a time. */
const CALLERS_MAX = 50;
/** A longer statement is not kept: it is not what comes again. */
const SQL_CHARS_MAX = 8_000;
/** Age of the row counts behind an estimate. */
const COUNTS_AGE_MS_MAX = 300_000;

/** By binding; then by scopes, and rows asked for. */
const shelves = new WeakMap<object, Map<string, Map<string, Judged>>>();

export function openKnownVerdicts(binding: object, scopes: Scopes, rowsMax: number, now: () => number): KnownVerdicts {
  const callers = shelves.get(binding) ?? new Map<string, Map<string, Judged>>();
  shelves.set(binding, callers);
  const key = canonicalJson([scopes, rowsMax]);
  const own = callers.get(key) ?? new Map<string, Judged>();
  touch(callers, key, own, CALLERS_MAX);
  return {
    find(sql) {
      const found = own.get(sql);
      if (found === undefined) return null;
      if (now() - found.snapshot.readAt >= COUNTS_AGE_MS_MAX) {
        own.delete(sql);
        return null;
      }
      touch(own, sql, found, VERDICTS_MAX);
      return found;
    },
    keep(sql, judged) {
      if (sql.length <= SQL_CHARS_MAX) touch(own, sql, judged, VERDICTS_MAX);
    },
    drop: (sql) => void own.delete(sql),
  };
}

/** Puts an entry last, and the one that was not touched for longest out. */
function touch<T>(entries: Map<string, T>, key: string, value: T, max: number): void {
  entries.delete(key);
  entries.set(key, value);
  const oldest = entries.keys().next();
  if (entries.size > max && !oldest.done) entries.delete(oldest.value);
}
