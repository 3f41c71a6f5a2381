/**
 * The schema as one caller may see it: hidden tables, denied tables and denied columns are not there at all, masked
 * columns are there without samples. `renderSchema` gives the one text form that models are shown, within a set size,
 * and says what it left out. Reading is in catalog.ts and profile.ts.
 */
import { byteLength } from "../lib/bytes.ts";
import { sha256Hex } from "../lib/hash.ts";
import { canonicalJson } from "../lib/json.ts";
import { type Catalog, type CatalogRelation, readCatalog } from "./catalog.ts";
import type { DatabaseConnection } from "./connection.ts";
import { toIdentifier } from "./keywords.ts";
import { maskText } from "./masks.ts";
import { mayHoldMore, type Profile, readProfile } from "./profile.ts";
import { foldName, isDeniedColumn, isMaskedColumn, type Scopes } from "./scopes.ts";
import { visibleRelations } from "./visible.ts";

export interface SchemaColumn {
  readonly name: string;
  readonly type: string;
  /** Position in the primary key from 1, or 0. */
  readonly keyPosition: number;
  readonly notNull: boolean;
  readonly generated: boolean;
  readonly masked: boolean;
  readonly references: { readonly table: string; readonly column: string } | null;
  /** Sample values of a low-cardinality text column, or null. */
  readonly values: readonly string[] | null;
  readonly hasMoreValues: boolean;
}

export interface SchemaTable {
  readonly name: string;
  readonly kind: "table" | "view";
  /** Rows, up to the bound of counting; null when unknown. */
  readonly rows: number | null;
  readonly hasMoreRows: boolean;
  readonly tags: readonly string[];
  readonly columns: readonly SchemaColumn[];
}

export interface DatabaseSchema {
  readonly tables: readonly SchemaTable[];
}

/** Values shown for a column; the rest is said by an ellipsis. */
const VALUES_SHOWN_MAX = 8;

/** Reads the database and gives what `scopes` let a caller see of it. */
export async function readSchema(connection: DatabaseConnection, scopes: Scopes): Promise<DatabaseSchema> {
  const catalog = await readCatalog(connection);
  return toSchema(catalog, await readProfile(connection, catalog), scopes);
}

/** The part of catalog and profile that a caller may see. */
export function toSchema(catalog: Catalog, profile: Profile, scopes: Scopes): DatabaseSchema {
  const shown = visibleRelations(catalog, scopes);
  const byName = new Map(shown.map((relation) => [foldName(relation.name), relation]));
  return { tables: shown.map((relation) => toTable(relation, byName, profile, scopes)) };
}

/** A hash that changes when anything shown in the schema does, but for row counts and sample values. For caches. */
export function schemaVersion(schema: DatabaseSchema): string {
  const tables = schema.tables.map((table) => ({
    name: table.name,
    kind: table.kind,
    tags: table.tags,
    columns: table.columns.map(({ values: _values, hasMoreValues: _more, ...column }) => column),
  }));
  return sha256Hex(canonicalJson(tables));
}

export interface RenderOptions {
  readonly bytesMax: number;
  /** Only these tables, in this order; all when absent. */
  readonly tables?: readonly string[];
}

export interface RenderedSchema {
  readonly text: string;
  /** Names of the tables shown. */
  readonly shown: readonly string[];
  /** Names of the tables left out for want of room, or because no text form can hold their name. */
  readonly leftOut: readonly string[];
}

/** Renders whole tables until the room is used up. The closing line about the rest is counted in. */
export function renderSchema(schema: DatabaseSchema, options: RenderOptions): RenderedSchema {
  const wanted = pickTables(schema, options.tables);
  const shown: string[] = [];
  const leftOut: string[] = [];
  const blocks: string[] = [];
  const room = options.bytesMax - byteLength(toRestLine(wanted.length));
  let used = 0;
  for (const table of wanted) {
    const block = renderTable(table);
    const size = block === null ? 0 : byteLength(block) + 1;
    if (block === null || used + size > room) {
      leftOut.push(table.name);
      continue;
    }
    used += size;
    blocks.push(block);
    shown.push(table.name);
  }
  if (leftOut.length > 0) blocks.push(toRestLine(leftOut.length));
  return { text: blocks.join("\n"), shown, leftOut };
}

function toRestLine(count: number): string {
  return `… ${count} more tables: use list_tables to find them`;
}

function pickTables(schema: DatabaseSchema, names: readonly string[] | undefined): readonly SchemaTable[] {
  if (names === undefined) return schema.tables;
  const byName = new Map(schema.tables.map((table) => [foldName(table.name), table]));
  return names.flatMap((name) => byName.get(foldName(name)) ?? []);
}

function toTable(
  relation: CatalogRelation,
  visible: ReadonlyMap<string, CatalogRelation>,
  profile: Profile,
  scopes: Scopes,
): SchemaTable {
  const size = profile.sizes.get(foldName(relation.name));
  const columns = relation.columns.filter(
    (column) => column.kind !== "hidden" && !isDeniedColumn(scopes, relation.name, column.name),
  );
  return {
    name: relation.name,
    kind: relation.kind === "view" ? "view" : "table",
    rows: size?.counted ?? null,
    hasMoreRows: size !== undefined && !size.isExact,
    tags: toTags(relation),
    columns: columns.map((column) => {
      const masked = isMaskedColumn(scopes, relation.name, column.name);
      const sample = masked ? undefined : profile.samples.get(foldName(`${relation.name}.${column.name}`));
      return {
        name: column.name,
        type: column.type,
        keyPosition: column.keyPosition,
        notNull: column.notNull,
        generated: column.kind !== "plain",
        masked,
        references: toReference(relation, column.name, visible, scopes),
        values: sample?.values?.map((value) => maskText(value, scopes.maskValues ?? [])) ?? null,
        hasMoreValues: mayHoldMore(profile, relation.name),
      };
    }),
  };
}

function toTags(relation: CatalogRelation): readonly string[] {
  const tags: string[] = [];
  if (relation.kind === "virtual") {
    const module = /^\s*CREATE\s+VIRTUAL\s+TABLE\b.*?\bUSING\s+["'`[]?(\w+)/is.exec(relation.sql)?.[1];
    tags.push(module?.toLowerCase().replace(/^rtree_i32$/, "rtree") ?? "virtual");
  }
  if (relation.strict) tags.push("strict");
  if (relation.broken !== null) tags.push(`broken: ${relation.broken.replace(/\s+/g, " ")}`);
  return tags;
}

/** A foreign key is shown only when its target may be seen too. */
function toReference(
  relation: CatalogRelation,
  column: string,
  visible: ReadonlyMap<string, CatalogRelation>,
  scopes: Scopes,
): SchemaColumn["references"] {
  const key = relation.foreignKeys.find((candidate) => foldName(candidate.from) === foldName(column));
  const target = key === undefined ? undefined : visible.get(foldName(key.table));
  if (key === undefined || target === undefined) return null;
  const primary = target.columns.find((candidate) => candidate.keyPosition === key.position + 1);
  const to = key.to ?? primary?.name;
  if (to === undefined || isDeniedColumn(scopes, target.name, to)) return null;
  return { table: target.name, column: to };
}

/** Null when a name holds a line break, which the form cannot show. */
function renderTable(table: SchemaTable): string | null {
  if (/[\r\n]/.test(table.name)) return null;
  const count = table.rows === null ? "" : ` (${table.rows}${table.hasMoreRows ? "+" : ""} rows)`;
  const tags = table.tags.map((tag) => ` ${tag}`).join("");
  const isCompound = table.columns.filter((column) => column.keyPosition > 0).length > 1;
  const columns = table.columns
    .filter((column) => !/[\r\n]/.test(column.name))
    .map((column) => renderColumn(column, isCompound));
  return [`${table.kind} ${toIdentifier(table.name)}${count}${tags}`, ...columns].join("\n");
}

function renderColumn(column: SchemaColumn, isCompoundKey: boolean): string {
  const parts = [`  ${toIdentifier(column.name)}`];
  const type = column.type.replace(/\s+/g, " ").trim();
  if (type !== "") parts.push(type);
  if (column.keyPosition > 0) parts.push(isCompoundKey ? `primary key ${column.keyPosition}` : "primary key");
  if (column.notNull) parts.push("not null");
  if (column.generated) parts.push("generated");
  if (column.masked) parts.push("masked");
  if (column.references !== null) {
    parts.push(`-> ${toIdentifier(column.references.table)}.${toIdentifier(column.references.column)}`);
  }
  if (column.values !== null && column.values.length > 0) parts.push(renderValues(column.values, column.hasMoreValues));
  return parts.join(" ");
}

function renderValues(values: readonly string[], hasMore: boolean): string {
  const shown = values.slice(0, VALUES_SHOWN_MAX).map((value) => `'${value.replaceAll("'", "''")}'`);
  const isCut = hasMore || values.length > VALUES_SHOWN_MAX;
  return `values: ${shown.join(", ")}${isCut ? ", …" : ""}`;
}
