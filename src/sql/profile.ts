/**
 * How big the tables are and what stands in their columns, at a bounded price: a count stops at a limit that shrinks
 * with the number of tables, columns are sampled from a few hundred rows. Sizes beyond the limit are estimated from the
 * span of row ids, which costs two rows. A table that cannot be read has no profile; that is no error.
 */
import type { Catalog, CatalogRelation } from "./catalog.ts";
import type { DatabaseConnection, Row } from "./connection.ts";
import { quoteName } from "./keywords.ts";
import { type ColumnSample, readSamples, rowidName, SAMPLE_ROWS } from "./samples.ts";
import { foldName } from "./scopes.ts";
import { chunk, runSplit } from "./split-batch.ts";

/** Rows that counting may read over all tables: $0.0005 at D1's price, so that a fresh isolate can afford it. */
const COUNT_ROWS_MAX = 500_000;
/** A table with more rows than this is `10000+` to a reader; nobody chooses a query by more digits. */
const COUNT_ROWS_PER_TABLE_MAX = 10_000;
/** D1 allows 100 result columns, and 3 stand for a table. */
const TABLES_PER_STATEMENT = 33;

export interface TableSize {
  /** Rows counted, up to the bound. */
  readonly counted: number;
  /** False when the bound was met, so that there are more. */
  readonly isExact: boolean;
  /** Best guess of the rows in all, for cost estimates. */
  readonly estimate: number;
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
  const [sizes, samples] = await Promise.all([
    readSizes(connection, tables, bound),
    readSamples(connection, catalog, tables),
  ]);
  return { sizes, samples };
}

/** True when a table has more rows than were looked at, so that other values may stand in it. */
export function mayHoldMore(profile: Profile, table: string): boolean {
  const size = profile.sizes.get(foldName(table));
  return size === undefined || !size.isExact || size.counted > SAMPLE_ROWS;
}

/** Rows that share one value of the column, by its sample; null when nothing is known of it. */
export function rowsPerValue(profile: Profile, table: string, column: string): number | null {
  const sample = profile.samples.get(foldName(`${table}.${column}`));
  const size = profile.sizes.get(foldName(table));
  if (sample === undefined || size === undefined || sample.distinct === 0) return null;
  // A small table is looked at from both ends and counted twice.
  const rows = sample.isSaturated ? size.estimate : Math.min(sample.rows, size.estimate);
  return Math.max(1, rows / sample.distinct);
}

async function readSizes(
  connection: DatabaseConnection,
  tables: readonly CatalogRelation[],
  bound: number,
): Promise<ReadonlyMap<string, TableSize>> {
  const groups = chunk(tables, TABLES_PER_STATEMENT);
  const rows = await runSplit(
    connection,
    groups.map((group) => ({ parts: group.flatMap((table, index) => sizeParts(table, index, bound)) })),
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
function sizeParts(
  table: CatalogRelation,
  index: number,
  bound: number,
): readonly { readonly expression: string; readonly name: string }[] {
  const from = `FROM main.${quoteName(table.name)}`;
  const count = { expression: `(SELECT count(*) FROM (SELECT 1 ${from} LIMIT ${bound + 1}))`, name: `n${index}` };
  const rowid = rowidName(table);
  if (rowid === null) return [count];
  return [
    count,
    { expression: `(SELECT min(${rowid}) ${from})`, name: `a${index}` },
    { expression: `(SELECT max(${rowid}) ${from})`, name: `b${index}` },
  ];
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
