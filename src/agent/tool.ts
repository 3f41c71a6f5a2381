/**
 * The port to a tool. One file a tool in tools/ defines one; the loop knows only this.
 *
 * Contract: `run` gets input that its schema has accepted, answers every expected failure as an observation with status
 * `error`, and throws only for a bug of ours, which ends the run (invariant L4). It may be called again after a crash
 * with the same call, so it only reads. It ends soon after the signal aborts.
 */
import * as z from "zod";
import type { Json } from "../lib/json.ts";
import { err, ok, type Result } from "../lib/result.ts";
import type { ChartWish } from "./chart-wish.ts";
import type { ToolSpec } from "./model.ts";
import type { Observation } from "./observation.ts";
import { signatureOf } from "./signature.ts";

/** A value of a stored cell after sql/values.ts: JSON, or a tagged object where JSON would lose something. */
export type Cell = Json;

/** The stored rows of one query. Immutable; addressed within a run by `ref`, across it by `sha256`. */
export interface StoredResult {
  /** `r1`, `r2`, … in order of first appearance in the run. */
  readonly ref: string;
  /** Of the canonical JSON of columns and rows. */
  readonly sha256: string;
  readonly sql: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Rows that the query has in all, or null when the cap was met and nobody counted. */
  readonly totalRows: number | null;
  /** True when rows, cells or bytes were cut. */
  readonly truncated: boolean;
}

/** A result before the run has given it a reference. */
export type NewResult = Omit<StoredResult, "ref" | "sha256">;

/** One executed or refused SQL text, for the receipt and the SQL log. */
export interface QueryRecord {
  readonly sql: string;
  readonly durationMs: number;
  readonly rowsRead: number;
  /** Rows returned; 0 on an error. */
  readonly rows: number;
  /** Short error text or null. */
  readonly error: string | null;
  /** Reference of the stored result, or null. */
  readonly ref: string | null;
}

/** What the run hands to a tool for one call. */
export interface ToolContext {
  readonly signal: AbortSignal;
  /** Rows that this call may still make the database read. */
  readonly rowsReadMax: number;
  /** Tables that describe_tables has shown in this run. */
  readonly described: readonly string[];
  /** Where this run's view of the database stands (D1 session bookmark), or null before its first query. */
  readonly bookmark: string | null;
  /** What the model noted before, and its plan. */
  readonly memo: Memo;
  /** What the person answered to this call; null: they were not asked. */
  readonly reply: string | null;
  /** Stored results of this run. */
  readonly results: {
    get(ref: string): StoredResult | null;
    /**
     * Keeps `result` and returns it with its reference; equal content gets the reference it already has. Waits for the
     * calls before this one in the round, so that references follow the order of the calls.
     */
    put(result: NewResult): Promise<{ readonly stored: StoredResult; readonly seenBefore: boolean }>;
  };
}

/** An answer with its evidence, as `final_answer` takes it. */
export interface FinalAnswer {
  readonly answer: string;
  /** References of the results that the answer rests on. */
  readonly results: readonly string[];
  readonly citations: readonly Citation[];
  /** The picture that the model asks for, if it asks for one. */
  readonly chart?: ChartWish | null;
}

/** One figure of an answer and the cell it came from; `row` counts from 1. */
export interface Citation {
  readonly figure: string;
  readonly result: string;
  readonly row: number;
  readonly column: string;
}

/** What a model keeps for itself beside the conversation; it outlives a fresh transcript. */
export interface Memo {
  readonly notes: readonly string[];
  readonly plan: readonly string[];
  /** Whether difficulty, approaches and pitfalls have been thought through: a plan needs it. */
  readonly brainstormed: boolean;
}

/** What a tool gives back: the observation, what it cost, and the query it made, if it made one. */
export interface ToolOutput {
  readonly observation: Observation;
  readonly rowsRead: number;
  readonly query: QueryRecord | null;
  /** Only from `describe_tables`: the tables it showed. */
  readonly described?: readonly string[];
  /** Only from a query: the bookmark that the run's next query starts from. */
  readonly bookmark?: string | null;
  /** Only from a query that failed by what it asks for: a name, the syntax, its size; not by the database's state. */
  readonly isOwnFault?: boolean;
  /** Only from `notes` and `plan`: the memo as it is from now on. */
  readonly memo?: Memo;
  /** Only from `final_answer`. */
  readonly final?: FinalAnswer;
  /** The database changed under a read: the run ends at once, and loudly. */
  readonly quarantined?: boolean;
}

/** What a call would do, as far as can be known without doing it. */
export interface Foreseen {
  /** Rows that it would make the database read. */
  readonly rowsRead: number;
  /** Tables of the file that it opens. */
  readonly tables: readonly string[];
  /** The engine's plan, a line each, inner ones indented. */
  plan(): readonly string[];
}

export const NOTHING_FORESEEN: Foreseen = { rowsRead: 0, tables: [], plan: () => [] };

/** How a tool is written: one file each in tools/. */
export interface ToolDefinition<Input> {
  readonly name: string;
  /** For the model. Says when to use the tool and what it returns. */
  readonly description: string;
  /** Strict: an unknown field is an error that the model is told. */
  readonly input: z.ZodType<Input>;
  /** The arguments with all that does not matter taken out, for telling equal calls; absent: as they are. */
  readonly canonical?: (input: Input) => unknown;
  /** The tables a query is about, for telling families of failing queries; absent: the call is no query. */
  readonly family?: (input: Input) => readonly string[];
  /** Absent: it makes the database read nothing. */
  readonly foresee?: (input: Input) => Promise<Foreseen>;
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
}

/** A call whose input the schema has accepted. */
export interface CheckedCall {
  /** Equal for calls that ask the same thing. */
  readonly signature: string;
  /** The tables it is about, read from its text only when asked for; none when it is no query. */
  family(): readonly string[];
  foresee(): Promise<Foreseen>;
  run(context: ToolContext): Promise<ToolOutput>;
}

/** How the loop sees a tool: the type of its input is its own business. */
export interface Tool extends ToolSpec {
  /** The checked call, or what is wrong with each field. */
  check(input: unknown): Result<CheckedCall, readonly string[]>;
}

const inputSchemas = new WeakMap<z.ZodType, ToolSpec["inputSchema"]>();

/** Closes a definition over its input type. `input` is made once, and not at every wake of a run. */
export function defineTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { name, description, input: schema } = definition;
  return {
    name,
    description,
    // Only a run that begins shows its tools, and all runs show the same.
    get inputSchema() {
      const made = inputSchemas.get(schema) ?? z.toJSONSchema(schema, { io: "input" });
      inputSchemas.set(schema, made);
      return made;
    },
    check: (input) => {
      const parsed = schema.safeParse(input);
      if (!parsed.success) return err(parsed.error.issues.map(tellIssue));
      const canonical = definition.canonical?.(parsed.data) ?? parsed.data;
      return ok({
        signature: signatureOf(name, canonical),
        family: () => definition.family?.(parsed.data) ?? [],
        foresee: async () => (await definition.foresee?.(parsed.data)) ?? NOTHING_FORESEEN,
        run: (context) => definition.run(parsed.data, context),
      });
    },
  };
}

function tellIssue(issue: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  const path = issue.path.map(String).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
