/**
 * Layer 3, the engine's verdict: from the rows of EXPLAIN and EXPLAIN QUERY PLAN of exactly the text that would run, it
 * proves that no write is compiled in and that nothing outside the caller's scopes is opened, and weighs the cost. The
 * gate's proof and this one together make a `ReadOnlyQuery`, the only thing that database.ts will run; the brand is
 * given in one place, below. Pure: rows in, verdict out.
 */
import { err, ok, type Result } from "../lib/result.ts";
import { checkAccess } from "./access.ts";
import type { Catalog } from "./catalog.ts";
import type { Row } from "./connection.ts";
import type { CheckedQuery } from "./gate.ts";
import { unquote } from "./lexer.ts";
import { bytesMadeARow } from "./made-text.ts";
import { type PlanName, type TableScan, weighPlan } from "./plan.ts";
import { type Profile, rowsPerValue } from "./profile.ts";
import { type Program, readProgram } from "./program.ts";
import { type Reach, toReach } from "./reach.ts";
import { guardRecursion, RECURSION_ROWS_MAX } from "./recursion.ts";
import type { SqlRefusal } from "./refusal.ts";
import { foldName, type Scopes } from "./scopes.ts";
import { SCHEMA_TABLES, toShield } from "./shield.ts";
import { keyword, type StatementShape } from "./statement.ts";
import { tableFunctionRows } from "./table-functions.ts";

declare const readOnly: unique symbol;

/** A statement that gate and engine have proved to be a read within scopes. Made only by `checkVerdict`. */
export interface ReadOnlyQuery extends StatementBody {
  readonly [readOnly]: true;
  /** Columns of its result, as the engine compiled it. */
  readonly columns: number;
  /** Schema cookie under which the proof holds. */
  readonly cookie: number;
}

/** The text of a query as it is put into the subquery, and the definitions that go in front of it. */
export interface StatementBody {
  readonly body: string;
  readonly definitions: readonly string[];
}

export interface Verdict {
  readonly query: ReadOnlyQuery;
  readonly rowsReadEstimate: number;
  /** What the statement is charged when its end is never seen: it may have run a recursion up to its bound. */
  readonly rowsReadIfLost: number;
  /** Tables of the file that the statement opens, whether named or through views. */
  readonly tables: readonly string[];
  /** Tables that the plan reads from end to end. */
  readonly scans: readonly TableScan[];
  readonly warnings: readonly string[];
  /** EXPLAIN QUERY PLAN, as it came. */
  readonly planRows: readonly Row[];
}

export interface VerdictInput {
  readonly checked: CheckedQuery;
  /** What was explained, from `toBody`. */
  readonly body: StatementBody;
  readonly explain: readonly Row[];
  readonly plan: readonly Row[];
  readonly catalog: Catalog;
  readonly profile: Profile;
  readonly scopes: Scopes;
  /** Rows that the statement may read. */
  readonly rowsReadMax: number;
  /** Rows of the result after which it stops. */
  readonly resultRowsMax: number;
}

/** Without any of these words nothing filters, so a limit ends the loops as soon as it is met. */
const FILTER_WORDS = ["WHERE", "ON", "USING", "NATURAL", "HAVING", "DISTINCT"];
/** Rows assumed for a table that could not be counted. */
const UNKNOWN_TABLE_ROWS = 1_000;
/** Fewest rows a recursion is let make, however dear its step: hierarchies are seldom deeper. */
const RECURSION_ROWS_MIN = 1_000;
/** The same where three or more may be joined: a thousand each would be a thousand million rows. */
const JOINED_RECURSION_ROWS_MIN = 200;
/** Rows that all steps of a recursion may read: a few seconds of the database's time. */
const RECURSION_ROWS_READ_MAX = 10_000_000;
/** Bytes of text that a statement may make out of nothing: a few seconds of the database's time. */
const MADE_BYTES_MAX = 2_000_000_000;
/** Rows that a recursion without a LIMIT is taken to make: a series of days or a family tree. */
const RECURSION_ROWS_LIKELY = 100;

/** The body to explain and to run: shields in front, recursion bounded. */
export function toBody(checked: CheckedQuery, catalog: Catalog, scopes: Scopes, recursionRows?: number): StatementBody {
  const rowsMax = recursionRows ?? RECURSION_ROWS_MAX;
  return {
    body: guardRecursion(checked.sql, checked.recursion.guards, rowsMax),
    definitions: toShield(checked.shape, catalog, scopes).definitions,
  };
}

/** The statement as it is explained: a subquery on lines of its own, so that no comment can swallow the bracket. */
export function toWrappedSql(body: StatementBody, rowsMax: number): string {
  const prefix = body.definitions.length === 0 ? "" : `WITH ${body.definitions.join(", ")} `;
  return `${prefix}SELECT * FROM (\n${body.body}\n) LIMIT ${rowsMax}`;
}

/** Judges a statement by what the engine says of it. */
export function checkVerdict(input: VerdictInput): Result<Verdict, SqlRefusal> {
  const { checked, catalog, scopes } = input;
  const program = readProgram(input.explain);
  if (program.writes) {
    return err({
      code: "engine_sees_write",
      message: "The database engine says that this statement writes.",
      advice: ["Send a plain SELECT. Nothing here can change the database."],
    });
  }
  const reach = toReach(checked.shape, catalog);
  const access = checkAccess({ program, reach, shape: checked.shape, catalog, scopes });
  if (!access.ok) return access;
  const cost = weigh(input, reach, program);
  // What recurses in the plan and nowhere in the text has no bound. A view may: its owner wrote it.
  const isUnseen = cost.recursionStepRows > 0 && checked.recursion.count === 0 && reach.views.length === 0;
  if (isUnseen) return err(UNSEEN_RECURSION);
  if (cost.rowsRead > input.rowsReadMax) return err(refuseCost(cost.rowsRead, input.rowsReadMax));
  const rowsMade = cost.rowsRead + (checked.recursion.guards.length > 0 ? RECURSION_ROWS_MAX : 0);
  if (rowsMade * bytesMadeARow(checked.shape) > MADE_BYTES_MAX) return err(TOO_MUCH_MADE);
  const recursionRows = toRecursionRows(input, cost.recursionStepRows);
  const body = recursionRows === 0 ? input.body : toBody(checked, catalog, scopes, recursionRows);
  return ok({
    query: brand(body, program),
    rowsReadEstimate: cost.rowsRead,
    rowsReadIfLost: Math.max(cost.rowsRead, recursionRows),
    tables: access.value,
    scans: cost.scans,
    planRows: input.plan,
    warnings: constantWarnings(checked.shape, program, reach, catalog),
  });
}

/** The one place where a query is branded: behind every check of `checkVerdict`. */
function brand(body: StatementBody, program: Program): ReadOnlyQuery {
  return { ...body, columns: program.columns, cookie: program.cookie } as ReadOnlyQuery;
}

/** Rows for each guarded recursion, fewer when its step is dear; 0 without one. The bound is no part of the proof. */
function toRecursionRows(input: VerdictInput, stepRows: number): number {
  const { guards, depth, uses } = input.checked.recursion;
  if (guards.length === 0) return 0;
  // Recursions inside each other multiply, and so do those that are joined: each gets a root of what is affordable.
  const factors = Math.max(1, depth, uses);
  const affordable = Math.floor((RECURSION_ROWS_READ_MAX / Math.max(1, stepRows)) ** (1 / factors));
  const least = factors > 2 ? JOINED_RECURSION_ROWS_MIN : RECURSION_ROWS_MIN;
  return Math.max(least, Math.min(RECURSION_ROWS_MAX, affordable));
}

/** What a plan calls by a name that is no table. */
const UNKNOWN_NAME: PlanName = { table: null, rows: null, subqueries: [], rowsPerValue: () => null };

function weigh(input: VerdictInput, reach: Reach, program: Program): ReturnType<typeof weighPlan> {
  const names = planNames(reach, input);
  const words = new Set(input.checked.shape.tokens.map((token) => keyword(token)));
  const hasFilter = FILTER_WORDS.some((word) => words.has(word) || reach.throughViews.has(foldName(word)));
  return weighPlan(input.plan, {
    resolve: (name) => names.get(foldName(name)) ?? UNKNOWN_NAME,
    // A tripwire stands behind a guarded recursion, so its likely size counts; a LIMIT of its own is taken at its word.
    recursionRows: Math.max(RECURSION_ROWS_LIKELY, input.checked.recursion.ownLimitMax),
    stopsAfterRows: hasFilter ? null : input.resultRowsMax,
    limitsHold: !hasFilter && !program.gathers,
  });
}

/** Tables by every name that the plan may call them: their own and their aliases; the largest where several share one. */
function planNames(reach: Reach, { checked, catalog, profile }: VerdictInput): ReadonlyMap<string, PlanName> {
  const tables = new Map<string, PlanName>();
  for (const { name, kind } of catalog.relations) {
    if (kind === "view") continue;
    const rows = profile.sizes.get(foldName(name))?.estimate ?? UNKNOWN_TABLE_ROWS;
    const perValue = (column: string): number | null => rowsPerValue(profile, name, column);
    tables.set(foldName(name), { table: name, rows, subqueries: [], rowsPerValue: perValue });
  }
  const schemaRows = catalog.relations.length + catalog.indexes.length;
  for (const name of SCHEMA_TABLES) tables.set(name, { ...UNKNOWN_NAME, table: name, rows: schemaRows });
  const names = new Map(tables);
  for (const { name, alias } of reach.tables) {
    const target = tables.get(foldName(name));
    const key = foldName(alias ?? name);
    const known = names.get(key);
    const larger = (target?.rows ?? -1) > (known?.rows ?? -1) ? target : known;
    const subqueries = [...(known?.subqueries ?? []), ...(target === undefined ? [name] : [])];
    names.set(key, { ...UNKNOWN_NAME, ...larger, subqueries });
  }
  for (const [name, rows] of tableFunctionRows(checked.shape, catalog)) {
    const known = names.get(name) ?? UNKNOWN_NAME;
    names.set(name, { ...known, rows: Math.max(rows, known.rows ?? 0) });
  }
  return names;
}

const UNSEEN_RECURSION: SqlRefusal = {
  code: "recursion_limit",
  message: "The query recurses in a way that cannot be bounded.",
  advice: ["Write the recursion as WITH RECURSIVE name(columns) AS (… UNION ALL SELECT … FROM name … LIMIT n)."],
};

const TOO_MUCH_MADE: SqlRefusal = {
  code: "too_much_text_made",
  message: "The query makes a very long text or BLOB (zeroblob, randomblob, printf) again for each of many rows.",
  advice: ["Make it shorter than 1,000 bytes, or for fewer rows."],
};

function refuseCost(estimate: number, rowsReadMax: number): SqlRefusal {
  return {
    code: "too_many_rows_read",
    message: `The query would read about ${Math.round(Number(estimate.toPrecision(2))).toLocaleString("en-US")} rows; at most ${rowsReadMax.toLocaleString("en-US")} may still be read.`,
    advice: [
      "Join on a condition, filter on an indexed column, or aggregate one table before joining it.",
      "Avoid joining large tables without a condition: every row of one is read for every row of the other.",
    ],
  };
}

/** SQLite takes a double-quoted word that names nothing for text; the program then holds it as a constant. */
function constantWarnings(shape: StatementShape, program: Program, reach: Reach, catalog: Catalog): readonly string[] {
  const literals = new Set(shape.tokens.filter(({ kind }) => kind === "string").map(unquote));
  const suspects = shape.tokens.filter((token) => {
    const name = unquote(token);
    return token.kind === "name" && token.text[0] === '"' && program.strings.has(name) && !literals.has(name);
  });
  if (suspects.length === 0) return [];
  const columns = catalog.relations.flatMap((relation) => relation.columns);
  const names = new Set([...columns, ...reach.tables].map(({ name }) => foldName(name)));
  const unknown = suspects.filter((token) => !names.has(foldName(unquote(token))));
  const texts = new Set(unknown.map((token) => token.text));
  return [...texts].map(
    (text) => `${text} names no column and is read as text. Use single quotes for text, or check the name.`,
  );
}
