/**
 * A look at the first and the last rows of a table, column by column: the values of low-cardinality text columns, for
 * models, and how many rows share a value, for cost estimates. Both ends are looked at because rows often lie in the
 * order of a column: an invoice's lines stand together, a country's customers do not.
 */
import type { Catalog, CatalogRelation } from "./catalog.ts";
import type { DatabaseConnection } from "./connection.ts";
import { quoteName } from "./keywords.ts";
import { foldName } from "./scopes.ts";
import { chunk, runSplit } from "./split-batch.ts";

export interface ColumnSample {
  /** Distinct texts of a low-cardinality text column, or null. */
  readonly values: readonly string[] | null;
  /** Rows looked at that hold a value. */
  readonly rows: number;
  /** Distinct values among them. */
  readonly distinct: number;
  /** True when first and last rows hold the same few values, so that the rest will hold no others. */
  readonly isSaturated: boolean;
}

/** Rows looked at from either end of a table. */
export const SAMPLE_ROWS = 250;
/** Columns sampled over all tables: keys and indexed ones first, then the texts of the first tables. */
const SAMPLE_COLUMNS_MAX = 400;
/** Distinct values up to which a text column counts as low-cardinality. */
const SAMPLE_DISTINCT_MAX = 30;
/** A table of at most so many columns is a list of names (kinds, states), worth showing though nothing repeats. */
const LOOKUP_COLUMNS_MAX = 2;
/** Characters of a value worth showing; one longer value makes the column free text. */
const SAMPLE_CHARS_MAX = 40;
/** Sampled columns in one statement, so that its program stays far below D1's 25,000 instructions. */
const SAMPLES_PER_STATEMENT = 40;
/** Values that repeat at least so often among the rows looked at can be saturated. */
const SATURATED_REPEATS = 4;

interface Wanted {
  readonly table: CatalogRelation;
  readonly column: string;
  readonly isText: boolean;
}

/** Samples by folded `table.column`. A column that cannot be read has none. */
export async function readSamples(
  connection: DatabaseConnection,
  catalog: Catalog,
  tables: readonly CatalogRelation[],
): Promise<ReadonlyMap<string, ColumnSample>> {
  const groups = chunk(pickColumns(catalog, tables), SAMPLES_PER_STATEMENT);
  const rows = await runSplit(
    connection,
    groups.map((group) => ({
      parts: group.map((wanted, index) => ({ expression: sampleSql(wanted), name: `s${index}` })),
    })),
  );
  const samples = new Map<string, ColumnSample>();
  for (const [groupIndex, group] of groups.entries()) {
    for (const [index, { table, column }] of group.entries()) {
      const sample = toSample(rows[groupIndex]?.[`s${index}`]);
      if (sample !== null) samples.set(foldName(`${table.name}.${column}`), sample);
    }
  }
  return samples;
}

/** Columns that joins go through, then texts. */
function pickColumns(catalog: Catalog, tables: readonly CatalogRelation[]): readonly Wanted[] {
  const indexed = new Set(catalog.indexes.map(({ table, columns }) => foldName(`${table}.${columns[0] ?? ""}`)));
  const all = tables
    .filter((table) => table.kind === "table")
    .flatMap((table) => table.columns.map(({ name, type }) => ({ table, column: name, isText: isText(type) })));
  const isJoined = ({ table, column }: Wanted): boolean =>
    indexed.has(foldName(`${table.name}.${column}`)) ||
    table.foreignKeys.some((key) => foldName(key.from) === foldName(column));
  const joined = all.filter(isJoined);
  const texts = all.filter((wanted) => wanted.isText && !isJoined(wanted));
  const rest = all.filter((wanted) => !wanted.isText && !isJoined(wanted));
  return [...joined, ...texts, ...rest].slice(0, SAMPLE_COLUMNS_MAX);
}

/** `[rows, distinct, distinct in the first rows, in the last rows, values or null]` as JSON. */
function sampleSql({ table, column, isText: isTextColumn }: Wanted): string {
  const from = `SELECT ${quoteName(column)} AS v FROM main.${quoteName(table.name)}`;
  const rowid = rowidName(table);
  // The order is named, or SQLite takes an index on the column for its source, and with it the order of the values.
  const first = rowid === null ? from : `${from} ORDER BY ${rowid}`;
  const last =
    rowid === null ? "" : ` UNION ALL SELECT 2, v FROM (${from} ORDER BY ${rowid} DESC LIMIT ${SAMPLE_ROWS})`;
  // Values repeat, or the table is a short list of names: anything else (addresses, phone numbers) helps nobody.
  const isList = table.columns.length <= LOOKUP_COLUMNS_MAX;
  const repeats = isList ? "1" : "count(v) FILTER (WHERE p = 1) >= 2 * count(DISTINCT iif(p = 1, v, NULL))";
  const values = isTextColumn
    ? `CASE WHEN count(DISTINCT v) BETWEEN 1 AND ${SAMPLE_DISTINCT_MAX} AND max(length(v)) <= ${SAMPLE_CHARS_MAX} ` +
      `AND ${repeats} AND sum(typeof(v) NOT IN ('text', 'null')) = 0 ` +
      `THEN json_group_array(DISTINCT v) FILTER (WHERE typeof(v) = 'text') END`
    : "NULL";
  return (
    `(SELECT json_array(count(v), count(DISTINCT v), count(DISTINCT iif(p = 1, v, NULL)), ` +
    `count(DISTINCT iif(p = 2, v, NULL)), ${values}) FROM (` +
    `SELECT 1 AS p, v FROM (${first} LIMIT ${SAMPLE_ROWS})${last}))`
  );
}

function toSample(value: unknown): ColumnSample | null {
  if (typeof value !== "string") return null;
  const parsed: unknown = JSON.parse(value);
  if (!Array.isArray(parsed)) return null;
  const [rows, distinct, first, last] = parsed.map((item: unknown) => (typeof item === "number" ? item : 0));
  if (rows === undefined || distinct === undefined) return null;
  const ends = Math.min(first ?? 0, last ?? 0);
  const isSaturated = ends > 0 && distinct <= 1.25 * ends && rows >= SATURATED_REPEATS * distinct;
  return { values: toValues(parsed[4]), rows, distinct, isSaturated };
}

/** SQLite hands an inner JSON array on as an array or, through CASE, as its text. */
function toValues(value: unknown): readonly string[] | null {
  const list: unknown = typeof value === "string" ? JSON.parse(value) : value;
  if (!Array.isArray(list)) return null;
  return list.filter((item): item is string => typeof item === "string" && !/[\r\n]/.test(item)).sort();
}

/** A spelling of the row id that no column of the table has taken, or null where there is none. */
export function rowidName(table: CatalogRelation): string | null {
  if (table.kind !== "table" || table.withoutRowid) return null;
  const taken = new Set(table.columns.map((column) => foldName(column.name)));
  return ["rowid", "_rowid_", "oid"].find((name) => !taken.has(name)) ?? null;
}

/** Text affinity by SQLite's rule, which is a search for these letters in the declared type. */
function isText(type: string): boolean {
  return /CHAR|CLOB|TEXT/i.test(type) && !/INT/i.test(type);
}
