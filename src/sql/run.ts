/**
 * The one place where a model's statement meets D1: takes a `ReadOnlyQuery` and nothing else. The statement stands in a
 * batch between two readings of `total_changes()` and of the schema cookie: D1's own `changed_db` misses changes of
 * the schema, and its `rows_written` covers only the last of several statements. Throws what D1 throws.
 */

import { byteLength } from "../lib/bytes.ts";
import { COOKIE_SQL, toCookie } from "./catalog.ts";
import type { DatabaseConnection, Row } from "./connection.ts";
import { SQL_BYTES_MAX } from "./gate.ts";
import type { MaskedValueKind } from "./scopes.ts";
import { type DecodedCell, decodePlainCell, decodeRow, toPlainSql, toTypedSql } from "./values.ts";
import { type ReadOnlyQuery, toWrappedSql } from "./verdict.ts";

export type Ran =
  | {
      readonly kind: "ran";
      /** Names as D1 gives them for the subquery, made unique by SQLite. */
      readonly columns: readonly string[];
      readonly rows: readonly (readonly DecodedCell[])[];
      readonly rowsRead: number;
      readonly warnings: readonly string[];
    }
  /** The schema has changed since the verdict: the rows are thrown away unseen. */
  | { readonly kind: "stale" }
  | { readonly kind: "tripped"; readonly reason: string; readonly rowsRead: number };

/** Of one D1 result. */
const COLUMNS_MAX = 100;
const CHANGES_SQL = 'SELECT total_changes() AS "querent changes"';

/** Runs a proved read for at most `rowsMax` rows. `known` holds its column names where an earlier run has told them. */
export async function runReadOnly(
  connection: DatabaseConnection,
  query: ReadOnlyQuery,
  known: readonly string[] | null,
  rowsMax: number,
  masks: readonly MaskedValueKind[],
): Promise<Ran> {
  const typed = toTypedSql(query, query.columns, rowsMax);
  const isTyped = byteLength(typed) <= SQL_BYTES_MAX;
  const sql = isTyped ? typed : toPlainSql(query, query.columns, rowsMax);
  const namesSql = toNamesSql(query);
  const isNamed = known === null && query.columns < COLUMNS_MAX && byteLength(namesSql) <= SQL_BYTES_MAX;
  const statements = [CHANGES_SQL, COOKIE_SQL, sql, isNamed ? namesSql : CHANGES_SQL, COOKIE_SQL];
  const results = await connection
    .batch<Record<string, unknown>>(statements.map((text) => connection.prepare(text)))
    .catch((error: unknown) => {
      if (isWidthError(error)) return null;
      throw error;
    });
  if (results === null) return { kind: "stale" };
  const [changesBefore, cookieBefore, main, changesAfter, cookieAfter] = results;
  const columns = known ?? toNames(changesAfter?.results[0], query.columns) ?? (await readNames(connection, query));
  const meta = main?.meta;
  const rowsRead = meta?.rows_read ?? 0;
  const reason = findChange({
    changed: meta?.changed_db === true || (meta?.rows_written ?? 0) > 0,
    changes: toChanges(changesBefore?.results) !== toChanges(changesAfter?.results),
    schema: toCookie(cookieBefore?.results ?? []) !== toCookie(cookieAfter?.results ?? []),
  });
  if (reason !== null) return { kind: "tripped", reason, rowsRead };
  const isStale = query.cookie !== 0 && toCookie(cookieBefore?.results ?? []) !== query.cookie;
  if (isStale || columns.length !== query.columns) return { kind: "stale" };
  const rows: readonly Row[] = main?.results ?? [];
  return {
    kind: "ran",
    columns,
    rows: rows.map((row) =>
      isTyped
        ? decodeRow(row, query.columns, masks)
        : columns.map((_, index) => decodePlainCell(row[`c${index}`], masks)),
    ),
    rowsRead,
    warnings: isTyped
      ? []
      : [
          "The statement is too long for exact values: integers beyond 2^53 are rounded and flagged, infinities show as NULL.",
        ],
  };
}

/**
 * `CHANGES_SQL` with the names of the columns as further keys, also for an empty result, so that they come with the batch
 * and not by a round trip of their own. The inner limit of 0 is met before any row is read.
 */
function toNamesSql(query: ReadOnlyQuery): string {
  return `SELECT * FROM (${CHANGES_SQL}) LEFT JOIN (\n${toWrappedSql(toNamed(query), 0)}\n) ON 1`;
}

function toNamed(query: ReadOnlyQuery) {
  return { ...query, body: toWrappedSql({ body: query.body, definitions: [] }, 1) };
}

/** Null when an object cannot tell them: two of one name, or a number, which objects put first. */
function toNames(row: Row | undefined, columns: number): readonly string[] | null {
  const names = Object.keys(row ?? {});
  const isTold =
    names.length === columns + 1 && names[0] === "querent changes" && !names.some((name) => /^\d+$/.test(name));
  return isTold ? names.slice(1) : null;
}

/**
 * Names of the columns, also for an empty result. Reads no rows: the limit of 0 is met before the first, and the second
 * limit keeps SQLite from merging the subquery, which would fill its materialized tables beforehand.
 */
async function readNames(connection: DatabaseConnection, query: ReadOnlyQuery): Promise<readonly string[]> {
  const [names] = await connection.prepare(toWrappedSql(toNamed(query), 0)).raw<unknown[]>({ columnNames: true });
  return (names ?? []).map(String);
}

/** A `*` that has grown or shrunk since the verdict no longer fits the columns that the wrapper names. */
function isWidthError(error: unknown): boolean {
  return error instanceof Error && /table querent rows has \d+ values for \d+ columns/.test(error.message);
}

interface Changed {
  readonly changed: boolean;
  readonly changes: boolean;
  readonly schema: boolean;
}

function findChange(found: Changed): string | null {
  if (found.schema) return "the schema changed while the query ran";
  if (found.changes) return "rows changed while the query ran";
  return found.changed ? "the database reported a change while the query ran" : null;
}

function toChanges(rows: readonly Row[] | undefined): unknown {
  return rows?.[0]?.["querent changes"];
}
