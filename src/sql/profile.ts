/**
 * How big the tables are and what stands in their low-cardinality text columns, at a bounded price: a count stops at a
 * limit that shrinks with the number of tables, values come from the first rows only. Sizes beyond the limit are
 * estimated from the span of row ids, which costs two rows. A table that cannot be read has no profile; that is no error.
 */
import type { Catalog, CatalogRelation } from "./catalog.ts";
import { type DatabaseConnection, type Row, runBatch } from "./connection.ts";
import { quoteName } from "./keywords.ts";
import { foldName } from "./scopes.ts";

/** Rows that counting may read over all tables: $0.0005 at D1's price, so that a fresh isolate can afford it. */
const COUNT_ROWS_MAX = 500_000;
/** A table with more rows than this is `10000+` to a reader; nobody chooses a query by more digits. */
const COUNT_ROWS_PER_TABLE_MAX = 10_000;
/** First rows of a table that are looked at for sample values. */
const SAMPLE_ROWS_MAX = 500;
/** Columns sampled over all tables: the first tables of a wide schema are shown, the rest are found by tools. */
const SAMPLE_COLUMNS_MAX = 400;
/** Distinct values up to which a column counts as low-cardinality. */
const SAMPLE_DISTINCT_MAX = 30;
/** A table of at most so many columns is a list of names (kinds, states), worth showing though nothing repeats. */
const LOOKUP_COLUMNS_MAX = 2;
/** Characters of a value worth showing; one longer value makes the column free text. */
const SAMPLE_CHARS_MAX = 40;
/** D1 allows 100 result columns, and 3 stand for a table. */
const TABLES_PER_STATEMENT = 33;
/** Sampled columns in one statement, so that its program stays far below D1's 25,000 instructions. */
const SAMPLES_PER_STATEMENT = 60;

export interface TableSize {
  /** Rows counted, up to the bound. */
  readonly counted: number;
  /** False when the bound was met, so that there are more. */
  readonly isExact: boolean;
  /** Best guess of the rows in all, for cost estimates. */
  readonly estimate: number;
}

export interface ColumnSample {
  readonly values: readonly string[];
  /** True when the table may hold other values too. */
  readonly hasMore: boolean;
}

export interface Profile {
  /** By folded table name. */
  readonly sizes: ReadonlyMap<string, TableSize>;
  /** By folded `table.column`. */
  readonly samples: ReadonlyMap<string, ColumnSample>;
}

/** Reads sizes and samples. Throws only what D1 throws when it cannot be reached at all. */
export async function readProfile(connection: DatabaseConnection, catalog: Catalog): Promise<Profile> {
  const tables = catalog.relations.filter(
    (relation) => relation.broken === null && relation.kind !== "view" && !foldName(relation.name).startsWith("_cf_"),
  );
  const perTable = Math.floor(COUNT_ROWS_MAX / Math.max(1, tables.length));
  const bound = Math.max(100, Math.min(COUNT_ROWS_PER_TABLE_MAX, perTable));
  const [sizes, samples] = await Promise.all([readSizes(connection, tables, bound), readSamples(connection, tables)]);
  return { sizes, samples: new Map(samples.map((sample) => settleSample(sample, sizes))) };
}

async function readSizes(
  connection: DatabaseConnection,
  tables: readonly CatalogRelation[],
  bound: number,
): Promise<ReadonlyMap<string, TableSize>> {
  const groups = chunk(tables, TABLES_PER_STATEMENT);
  const rows = await runEach(
    connection,
    groups.map((group) => ({
      sql: `SELECT ${group.map((table, index) => sizeColumns(table, index, bound)).join(", ")}`,
      parts: group.map((table) => `SELECT ${sizeColumns(table, 0, bound)}`),
    })),
  );
  const sizes = new Map<string, TableSize>();
  for (const [groupIndex, group] of groups.entries()) {
    for (const [index, table] of group.entries()) {
      const size = toSize(rows[groupIndex], index, bound);
      if (size !== null) sizes.set(foldName(table.name), size);
    }
  }
  return sizes;
}

/** `n0` counts up to one more than the bound; `a0` and `b0` are the first and last row id, each one row read. */
function sizeColumns(table: CatalogRelation, index: number, bound: number): string {
  const from = `FROM main.${quoteName(table.name)}`;
  const count = `(SELECT count(*) FROM (SELECT 1 ${from} LIMIT ${bound + 1})) AS n${index}`;
  const rowid = rowidName(table);
  if (rowid === null) return `${count}, NULL AS a${index}, NULL AS b${index}`;
  return `${count}, (SELECT min(${rowid}) ${from}) AS a${index}, (SELECT max(${rowid}) ${from}) AS b${index}`;
}

/** A spelling of the row id that no column of the table has taken. */
function rowidName(table: CatalogRelation): string | null {
  if (table.kind !== "table" || table.withoutRowid) return null;
  const taken = new Set(table.columns.map((column) => foldName(column.name)));
  return ["rowid", "_rowid_", "oid"].find((name) => !taken.has(name)) ?? null;
}

function toSize(row: Row | undefined, index: number, bound: number): TableSize | null {
  const counted = row?.[`n${index}`];
  if (typeof counted !== "number") return null;
  if (counted <= bound) return { counted, isExact: true, estimate: counted };
  const first = row?.[`a${index}`];
  const last = row?.[`b${index}`];
  const span = typeof first === "number" && typeof last === "number" ? last - first + 1 : counted * 10;
  // Row ids may be sparse (time stamps, random ids): beyond a billion the span says nothing about size.
  const estimate = span > 1e9 ? counted * 10 : Math.max(counted, span);
  return { counted: bound, isExact: false, estimate };
}

interface RawSample {
  readonly table: string;
  readonly column: string;
  readonly values: readonly string[];
}

async function readSamples(
  connection: DatabaseConnection,
  tables: readonly CatalogRelation[],
): Promise<readonly RawSample[]> {
  const wanted: { readonly table: CatalogRelation; readonly column: string }[] = [];
  for (const table of tables) {
    if (table.kind !== "table") continue;
    for (const column of table.columns) {
      if (isText(column.type) && wanted.length < SAMPLE_COLUMNS_MAX) wanted.push({ table, column: column.name });
    }
  }
  const groups = chunk(wanted, SAMPLES_PER_STATEMENT);
  const rows = await runEach(
    connection,
    groups.map((group) => ({
      sql: `SELECT ${group.map(({ table, column }, index) => sampleColumn(table, column, index)).join(", ")}`,
      parts: group.map(({ table, column }) => `SELECT ${sampleColumn(table, column, 0)}`),
    })),
  );
  return groups.flatMap((group, groupIndex) =>
    group.flatMap(({ table, column }, index) => {
      const values = toSample(rows[groupIndex]?.[`s${index}`]);
      return values === null ? [] : [{ table: table.name, column, values }];
    }),
  );
}

/** A JSON array of the distinct texts among the first rows, or NULL when they are many, long, or not all text. */
function sampleColumn(table: CatalogRelation, column: string, index: number): string {
  // Values repeat, or the table is a short list of names: anything else (addresses, phone numbers) helps nobody.
  const repeats = table.columns.length <= LOOKUP_COLUMNS_MAX ? "1" : "count(v) >= 2 * count(DISTINCT v)";
  const inner = `SELECT ${quoteName(column)} AS v FROM main.${quoteName(table.name)} LIMIT ${SAMPLE_ROWS_MAX}`;
  return (
    `(SELECT CASE WHEN count(DISTINCT v) BETWEEN 1 AND ${SAMPLE_DISTINCT_MAX} AND max(length(v)) <= ${SAMPLE_CHARS_MAX} ` +
    `AND ${repeats} AND sum(typeof(v) NOT IN ('text', 'null')) = 0 ` +
    `THEN json_group_array(DISTINCT v) FILTER (WHERE typeof(v) = 'text') END FROM (${inner})) AS s${index}`
  );
}

function toSample(value: unknown): readonly string[] | null {
  if (typeof value !== "string") return null;
  const parsed: unknown = JSON.parse(value);
  if (!Array.isArray(parsed)) return null;
  return parsed.filter((item): item is string => typeof item === "string" && !/[\r\n]/.test(item));
}

function settleSample(sample: RawSample, sizes: ReadonlyMap<string, TableSize>): [string, ColumnSample] {
  const size = sizes.get(foldName(sample.table));
  const isWhole = size?.isExact === true && size.counted <= SAMPLE_ROWS_MAX;
  const key = foldName(`${sample.table}.${sample.column}`);
  return [key, { values: [...sample.values].sort(), hasMore: !isWhole }];
}

/** Text affinity by SQLite's rule, which is a search for these letters in the declared type. */
function isText(type: string): boolean {
  return /CHAR|CLOB|TEXT/i.test(type) && !/INT/i.test(type);
}

interface SplitStatement {
  readonly sql: string;
  /** The same, a statement for each part, for when one part spoils the whole. */
  readonly parts: readonly string[];
}

/** The single row of each statement; a failing one is taken apart, and its unreadable parts are left out. */
async function runEach(connection: DatabaseConnection, statements: readonly SplitStatement[]): Promise<readonly Row[]> {
  try {
    const results = await runBatch(
      connection,
      statements.map((statement) => statement.sql),
    );
    return results.map((rows) => rows[0] ?? {});
  } catch {
    const merged: Row[] = [];
    for (const statement of statements) merged.push(await runParts(connection, statement));
    return merged;
  }
}

async function runParts(connection: DatabaseConnection, statement: SplitStatement): Promise<Row> {
  try {
    const [rows] = await runBatch(connection, [statement.sql]);
    return rows?.[0] ?? {};
  } catch {
    const merged: Record<string, unknown> = {};
    for (const [index, sql] of statement.parts.entries()) {
      const row = await runQuietly(connection, sql);
      for (const [key, value] of Object.entries(row)) merged[key.replace("0", String(index))] = value;
    }
    return merged;
  }
}

async function runQuietly(connection: DatabaseConnection, sql: string): Promise<Row> {
  try {
    const [rows] = await runBatch(connection, [sql]);
    return rows?.[0] ?? {};
  } catch {
    return {};
  }
}

function chunk<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const chunks: Item[][] = [];
  for (let from = 0; from < items.length; from += size) chunks.push(items.slice(from, from + size));
  return chunks;
}
