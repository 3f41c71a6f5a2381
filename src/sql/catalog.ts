/**
 * What the database is made of, read with our own fixed statements: objects with their root pages, columns, foreign
 * keys, index columns. Unscoped: it serves the engine's verdict, which must see everything, and schema.ts, which shows
 * only what a caller may see. Two round trips to D1, whatever the number of tables; a view over a dropped table costs
 * one more for each view and is marked, not fatal. `_cf_%` tables are never asked about: D1 refuses.
 */
import { type DatabaseConnection, type Row, runBatch } from "./connection.ts";
import { classifyError } from "./failure.ts";
import { quoteText } from "./keywords.ts";

export interface CatalogColumn {
  readonly name: string;
  /** Declared type, may be empty. */
  readonly type: string;
  readonly notNull: boolean;
  /** Position in the primary key from 1, or 0. */
  readonly keyPosition: number;
  /** Generated columns are computed; hidden ones belong to virtual tables and never appear in `*`. */
  readonly kind: "plain" | "hidden" | "generated_virtual" | "generated_stored";
}

export interface CatalogForeignKey {
  readonly from: string;
  readonly table: string;
  /** Null when it points at the other table's primary key without naming it. */
  readonly to: string | null;
  /** Position within a compound key, from 0. */
  readonly position: number;
}

export interface CatalogRelation {
  readonly name: string;
  readonly kind: "table" | "view" | "virtual" | "shadow";
  readonly rootPage: number;
  readonly sql: string;
  readonly strict: boolean;
  readonly withoutRowid: boolean;
  readonly columns: readonly CatalogColumn[];
  readonly foreignKeys: readonly CatalogForeignKey[];
  /** Why its columns cannot be read (a view over a dropped table, a module that is not there), or null. */
  readonly broken: string | null;
}

export interface CatalogIndex {
  readonly name: string;
  readonly table: string;
  readonly rootPage: number;
  /** In storage order; null where an entry is an expression or the rowid. */
  readonly columns: readonly (string | null)[];
  readonly unique: boolean;
  /** DDL, or null for an index that a constraint made. */
  readonly sql: string | null;
}

export interface Catalog {
  /** SQLite's schema cookie: it changes with every change of the schema. */
  readonly cookie: number;
  readonly relations: readonly CatalogRelation[];
  readonly indexes: readonly CatalogIndex[];
}

/** Reads 0 rows: the cookie stands in the program's Transaction instruction. */
export const COOKIE_SQL = "EXPLAIN SELECT 1 FROM sqlite_schema";

const NOT_INTERNAL = "m.name NOT LIKE '\\_cf\\_%' ESCAPE '\\'";
const OBJECTS_SQL = "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema m WHERE type <> 'trigger'";
const LIST_SQL = "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main'";
const columnsSql = (where: string): string =>
  `SELECT m.name AS tbl, c.name AS name, c.type AS type, c."notnull" AS nn, c.pk AS pk, c.hidden AS hidden
   FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c WHERE ${where} AND ${NOT_INTERNAL}`;
const KEYS_SQL = `SELECT m.name AS tbl, k.id AS id, k.seq AS seq, k."table" AS target, k."from" AS source, k."to" AS dest
   FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) k WHERE m.type = 'table' AND ${NOT_INTERNAL}`;
const INDEXES_SQL = `SELECT m.name AS idx, i.seqno AS seq, i.name AS name, i.cid AS cid, i.key AS is_key
   FROM sqlite_schema m JOIN pragma_index_xinfo(m.name) i WHERE m.type = 'index' AND m.tbl_name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`;
const UNIQUE_SQL = `SELECT l.name AS idx FROM sqlite_schema m JOIN pragma_index_list(m.name) l
   WHERE m.type = 'table' AND l."unique" = 1 AND ${NOT_INTERNAL}`;

/** Reads the catalog. Throws only what D1 throws when it cannot be reached. */
export async function readCatalog(connection: DatabaseConnection): Promise<Catalog> {
  const [cookie, objects, list] = await runBatch(connection, [COOKIE_SQL, OBJECTS_SQL, LIST_SQL]);
  const relations = (objects ?? []).filter((row) => row.type === "table" || row.type === "view");
  const [tables, views, [keys, indexes, unique]] = await Promise.all([
    readColumns(connection, "table", relations),
    readColumns(connection, "view", relations),
    runBatch(connection, [KEYS_SQL, INDEXES_SQL, UNIQUE_SQL]),
  ]);
  const kinds = new Map((list ?? []).map((row) => [text(row, "name"), row]));
  const foreignKeys = groupBy(keys ?? [], "tbl");
  return {
    cookie: toCookie(cookie ?? []),
    relations: relations.map((row) => {
      const name = text(row, "name");
      const listed = kinds.get(name);
      const found = (row.type === "view" ? views : tables).get(name);
      return {
        name,
        kind: toKind(row, listed),
        rootPage: number(row, "rootpage"),
        sql: text(row, "sql"),
        strict: listed !== undefined && number(listed, "strict") === 1,
        withoutRowid: listed !== undefined && number(listed, "wr") === 1,
        columns: found?.columns ?? [],
        foreignKeys: (foreignKeys.get(name) ?? []).map(toForeignKey),
        broken: found?.broken ?? null,
      };
    }),
    indexes: toIndexes(objects ?? [], indexes ?? [], unique ?? []),
  };
}

/** The schema cookie from the rows of `COOKIE_SQL`, or of any EXPLAIN; 0 where nothing of the database is opened. */
export function toCookie(rows: readonly Row[]): number {
  const transaction = rows.find((row) => row.opcode === "Transaction" && row.p1 === 0);
  return transaction === undefined ? 0 : number(transaction, "p3");
}

interface Columns {
  readonly columns: readonly CatalogColumn[];
  readonly broken: string | null;
}

/** One statement for all of a kind; when one object spoils it, one statement for each. */
async function readColumns(
  connection: DatabaseConnection,
  kind: "table" | "view",
  relations: readonly Row[],
): Promise<ReadonlyMap<string, Columns>> {
  const names = relations.filter((row) => row.type === kind).map((row) => text(row, "name"));
  const asked = names.filter((name) => !name.toLowerCase().startsWith("_cf_"));
  if (asked.length === 0) return new Map();
  try {
    const [rows] = await runBatch(connection, [columnsSql(`m.type = '${kind}'`)]);
    const grouped = groupBy(rows ?? [], "tbl");
    return new Map(asked.map((name) => [name, { columns: (grouped.get(name) ?? []).map(toColumn), broken: null }]));
  } catch (error) {
    if (classifyError(error).kind !== "statement") throw error;
    const found = new Map<string, Columns>();
    for (const name of asked) found.set(name, await readOne(connection, name));
    return found;
  }
}

async function readOne(connection: DatabaseConnection, name: string): Promise<Columns> {
  try {
    const sql = `SELECT name, type, "notnull" AS nn, pk, hidden FROM pragma_table_xinfo(${quoteText(name)})`;
    const [rows] = await runBatch(connection, [sql]);
    return { columns: (rows ?? []).map(toColumn), broken: null };
  } catch (error) {
    if (classifyError(error).kind !== "statement") throw error;
    const message = error instanceof Error ? error.message : String(error);
    return { columns: [], broken: message.replace(/^D1_ERROR: /, "").replace(/: SQLITE_\w+.*$/s, "") };
  }
}

function toKind(row: Row, listed: Row | undefined): CatalogRelation["kind"] {
  if (row.type === "view") return "view";
  const type = listed === undefined ? "table" : text(listed, "type");
  return type === "virtual" || type === "shadow" ? type : "table";
}

function toColumn(row: Row): CatalogColumn {
  const kinds = ["plain", "hidden", "generated_virtual", "generated_stored"] as const;
  return {
    name: text(row, "name"),
    type: text(row, "type"),
    notNull: number(row, "nn") === 1,
    keyPosition: number(row, "pk"),
    kind: kinds[number(row, "hidden")] ?? "plain",
  };
}

function toForeignKey(row: Row): CatalogForeignKey {
  const to = row.dest;
  return {
    from: text(row, "source"),
    table: text(row, "target"),
    to: typeof to === "string" ? to : null,
    position: number(row, "seq"),
  };
}

function toIndexes(objects: readonly Row[], columns: readonly Row[], unique: readonly Row[]): readonly CatalogIndex[] {
  const grouped = groupBy(columns, "idx");
  const uniques = new Set(unique.map((row) => text(row, "idx")));
  return objects
    .filter((row) => row.type === "index")
    .map((row) => {
      const name = text(row, "name");
      const sql = row.sql;
      return {
        name,
        table: text(row, "tbl_name"),
        rootPage: number(row, "rootpage"),
        columns: (grouped.get(name) ?? []).map((column) => {
          const columnName = column.name;
          return typeof columnName === "string" ? columnName : null;
        }),
        unique: uniques.has(name),
        sql: typeof sql === "string" ? sql : null,
      };
    });
}

function groupBy(rows: readonly Row[], key: string): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = text(row, key);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

function text(row: Row, key: string): string {
  const value = row[key];
  return typeof value === "string" ? value : "";
}

function number(row: Row, key: string): number {
  const value = row[key];
  return typeof value === "number" ? value : 0;
}
