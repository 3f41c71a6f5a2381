/**
 * What the page reads of the API's answers. The contract itself is `/openapi.json`; the worker that answers is the one
 * that sent this script, so the answers are taken as they are. Types only.
 */
import type { Cell } from "../cells.ts";
import type { ChartWish } from "../chart-choice.ts";

export interface Problem {
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly errors?: readonly { readonly detail: string }[];
}

export interface Citation {
  readonly figure: string;
  readonly result: string;
  /** From 1. */
  readonly row: number;
  readonly column: string;
}

export interface Query {
  readonly sql: string;
  readonly result: string | null;
  readonly rows: number;
  readonly rows_read: number;
  readonly duration_ms: number;
  readonly error: string | null;
}

export interface Run {
  readonly id: string;
  readonly status: "running" | "waiting" | "finished";
  readonly outcome: "answered" | "stopped" | "failed" | "cancelled" | null;
  readonly stop_reason: string | null;
  readonly message: string | null;
  readonly answer: string | null;
  readonly partial_answer: string | null;
  readonly n_queries: number;
  readonly question: string;
  readonly waiting: {
    readonly kind: "retry" | "approval" | "reply";
    readonly until: string;
    readonly approval: { readonly id: string; readonly queries: readonly AskedQuery[] } | null;
    readonly inquiry: { readonly id: string; readonly question: string; readonly options: readonly string[] } | null;
  } | null;
  readonly approve_above_rows: number | null;
  readonly mode: "auto" | "manual";
  readonly model: string;
  readonly limits: { readonly [name: string]: number };
  readonly usage: {
    readonly steps: number;
    readonly hops: number;
    readonly errors: number;
    readonly model_calls: number;
    readonly active_ms: number;
    readonly rows_read: number;
    readonly cost_usd: number;
    /** Of the cost, what was counted for calls whose bill never came. */
    readonly unbilled_usd: number;
    readonly reserved_usd: number;
  };
  readonly receipt: {
    readonly queries: readonly Query[];
    readonly results: readonly string[];
    readonly citations: readonly Citation[];
    readonly chart: ChartWish | null;
    readonly rows_read: number;
    readonly cost_usd: number;
    readonly seconds: number;
    readonly steps: number;
  };
  readonly warnings: readonly string[];
  readonly links: { readonly [name: string]: string };
  readonly parent: { readonly id: string; readonly step: number; readonly kind: string } | null;
  /** Of a run that ran an earlier one's queries again, with no model. */
  readonly again: {
    readonly id: string;
    readonly answered_at: string;
    readonly unchanged: boolean | null;
    readonly changed: readonly string[];
  } | null;
  readonly children?: readonly { readonly id: string; readonly step: number; readonly kind: string }[];
  readonly created_at: string;
  readonly finished_at: string | null;
}

/** A query that a person is asked about, with what its plan expects. */
export interface AskedQuery {
  readonly index: number;
  readonly sql: string;
  readonly tables: readonly string[];
  readonly rows_read: number;
  readonly cost_usd: number;
  readonly plan: readonly string[];
}

/** What the key of this tab may use. */
export interface Caller {
  readonly models: readonly string[];
  readonly default_model: string | null;
  readonly limits: {
    readonly default: { readonly [name: string]: number };
    readonly max: { readonly [name: string]: number };
  };
  /** From how many rows on a query waits for a person; null: only if the question says so. */
  readonly approve_above_rows: number | null;
  readonly daily_usd: { readonly max: number; readonly left: number };
}

export interface ListedRun {
  readonly id: string;
  readonly question: string;
  readonly outcome: string | null;
  readonly cost_usd: number;
  readonly created_at: string;
}

export interface RunList {
  readonly runs: readonly ListedRun[];
  readonly next_cursor: string | null;
}

export interface ResultPage {
  readonly ref: string;
  readonly sql: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly from: number;
  readonly stored_rows: number;
  readonly total_rows: number | null;
  readonly truncated: boolean;
  readonly next: string | null;
}

export interface SchemaColumn {
  readonly name: string;
  readonly type: string;
  readonly primary_key: number;
  readonly not_null: boolean;
  readonly generated: boolean;
  readonly masked: boolean;
  readonly references: { readonly table: string; readonly column: string } | null;
  readonly values: readonly string[] | null;
  readonly has_more_values: boolean;
}

export interface SchemaTable {
  readonly name: string;
  readonly kind: "table" | "view";
  readonly rows: number | null;
  readonly has_more_rows: boolean;
  readonly tags: readonly string[];
  readonly columns: readonly SchemaColumn[];
}

export interface Schema {
  readonly tables: readonly SchemaTable[];
}

/** One entry of the stream; every type has more fields of its own, see `run-view.ts`. */
export interface RunEvent {
  readonly type: string;
  readonly at: string;
  readonly step: number;
  readonly [field: string]: unknown;
}
