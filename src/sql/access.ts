/**
 * Scopes against what the engine opens. Tables and indexes are known by root page, so aliases, views, CTEs, subqueries
 * and indexes cannot get around them; virtual tables have no root page and are known by mention. Columns are known by
 * the positions that the program reads. Whatever cannot be proved readable is refused. A refusal names only what the
 * statement itself names, so that it tells nothing about what it protects. Pure: no I/O, no clock.
 */
import { err, ok, type Result } from "../lib/result.ts";
import type { Catalog, CatalogIndex, CatalogRelation } from "./catalog.ts";
import { PRAGMA_READERS } from "./gate.ts";
import type { OpenedCursor, Program } from "./program.ts";
import type { Reach } from "./reach.ts";
import type { SqlRefusal } from "./refusal.ts";
import {
  foldName,
  isDeniedColumn,
  isHidden,
  isMaskedColumn,
  mayReadSchema,
  mayReadTable,
  type Scopes,
} from "./scopes.ts";
import { needsShield, SCHEMA_TABLES } from "./shield.ts";
import type { StatementShape } from "./statement.ts";

export interface AccessInput {
  readonly program: Program;
  readonly reach: Reach;
  readonly shape: StatementShape;
  readonly catalog: Catalog;
  readonly scopes: Scopes;
}

/** Root page of sqlite_schema in every SQLite file. */
const SCHEMA_ROOT_PAGE = 1;
/** SQLite's number for `temp`, whose schema table is always empty on D1. */
const TEMP_DATABASE = 1;

/** Checks everything a program opens; gives the names of the tables that it reads. */
export function checkAccess(input: AccessInput): Result<readonly string[], SqlRefusal> {
  const refused = checkViews(input) ?? checkVirtualTables(input) ?? checkQualifiers(input);
  if (refused !== null) return err(refused);
  const tables = new Set<string>();
  for (const opened of input.program.opened) {
    const found = checkOpened(input, opened);
    if (!found.ok) return found;
    tables.add(found.value);
  }
  return ok([...tables]);
}

interface Place {
  readonly relation: CatalogRelation;
  readonly index: CatalogIndex | null;
}

function checkOpened(input: AccessInput, opened: OpenedCursor): Result<string, SqlRefusal> {
  const { catalog, scopes, reach } = input;
  const isTemporary = opened.database === TEMP_DATABASE && opened.rootPage === SCHEMA_ROOT_PAGE;
  if (opened.database !== 0 && !isTemporary) return err(refuseTable(input, null));
  if (opened.rootPage === SCHEMA_ROOT_PAGE) {
    return mayReadSchema(scopes) || isShieldedSchema(input) ? ok("sqlite_schema") : err(refuseTable(input, null));
  }
  const place = findPlace(catalog, opened.rootPage);
  if (place === null) return err(refuseUnknown());
  const { relation } = place;
  const name = foldName(relation.name);
  if (isHidden(relation)) {
    // SQLite's own statistics and counters name tables, like its schema table: same rule.
    const isReadable = name.startsWith("sqlite_") && mayReadSchema(scopes);
    return isReadable ? ok(relation.name) : err(refuseTable(input, relation));
  }
  if (!mayReadTable(scopes, relation.name) && !isGrantedByView(input, name)) return err(refuseTable(input, relation));
  if (!needsShield(relation, scopes)) return ok(relation.name);
  const column = findForbiddenColumn(input, opened, place, reach.throughViews.has(name));
  return column ? err(refuseColumn(input, relation)) : ok(relation.name);
}

function findPlace(catalog: Catalog, rootPage: number): Place | null {
  const relation = catalog.relations.find((candidate) => candidate.rootPage === rootPage);
  if (relation !== undefined) return { relation, index: null };
  const index = catalog.indexes.find((candidate) => candidate.rootPage === rootPage);
  const owner = catalog.relations.find((candidate) => candidate.name === index?.table);
  return index === undefined || owner === undefined ? null : { relation: owner, index };
}

/**
 * An allow list that names a view grants what the view shows, though not its tables: then the table must be reached
 * through an allowed view only, which is proved by the statement not mentioning it. A deny list always wins.
 */
function isGrantedByView(input: AccessInput, table: string): boolean {
  const { scopes, reach } = input;
  if (scopes.tables?.deny?.some((denied) => foldName(denied) === table)) return false;
  if (reach.own.has(table)) return false;
  return reach.throughViews.has(table) && reach.views.every((view) => mayReadTable(scopes, view.name));
}

function checkViews(input: AccessInput): SqlRefusal | null {
  const { scopes, reach, shape } = input;
  const named = new Set(shape.tables.map((table) => foldName(table.name)));
  const commonTables = new Set(shape.commonTables.map((table) => foldName(table.name)));
  const views = reach.views.filter((view) => {
    const name = foldName(view.name);
    return (named.has(name) && !commonTables.has(name)) || reach.throughViews.has(name);
  });
  const denied = views.find((view) => !mayReadTable(scopes, view.name) && !isGrantedByView(input, foldName(view.name)));
  if (denied !== undefined) return refuseTable(input, denied);
  // A shield stands before what the statement names; a view reached through another view is read without it.
  const bare = reach.views.find((view) => reach.throughViews.has(foldName(view.name)) && needsShield(view, scopes));
  return bare === undefined ? null : refuseColumn(input, bare);
}

/** Virtual tables are opened without a name: refused when any that may not be read is so much as mentioned. */
function checkVirtualTables(input: AccessInput): SqlRefusal | null {
  const { program, reach, catalog, scopes } = input;
  if (!program.opensVirtualTables) return null;
  const isMentioned = (name: string): boolean => reach.own.has(name) || reach.throughViews.has(name);
  for (const relation of catalog.relations) {
    if (relation.kind !== "virtual" || !isMentioned(foldName(relation.name))) continue;
    const isReadable = mayReadTable(scopes, relation.name) || isGrantedByView(input, foldName(relation.name));
    if (!isReadable) return refuseTable(input, relation);
    // A virtual table hands out values by its own ways (MATCH reads every column), so no position proves anything.
    if (needsShield(relation, scopes)) return refuseColumn(input, relation);
  }
  const pragmas = [...reach.own, ...reach.throughViews].filter((name) => name.startsWith("pragma_"));
  // The gate has seen the statement's own tables; a view may hide such a call, and only the engine knows of it.
  const other = pragmas.find((name) => !PRAGMA_READERS.has(name));
  if (other !== undefined) {
    const advice = [`These can be read: ${[...PRAGMA_READERS].join(", ")}.`];
    return { code: "pragma_refused", message: "The query reaches a pragma that may change the database.", advice };
  }
  const [pragma] = pragmas;
  if (pragma === undefined || mayReadSchema(scopes)) return null;
  return {
    code: "pragma_refused",
    message: `${pragma} is not readable here: it tells about tables outside what you may read.`,
    advice: ["Use the schema tools (list_tables, describe_tables)."],
  };
}

/** With column rules, a shield stands behind the bare name only: the qualified spelling would go around it. */
function checkQualifiers(input: AccessInput): SqlRefusal | null {
  const { shape, catalog, scopes } = input;
  const qualified = shape.tables.find((table) => {
    if (table.qualifier === null) return false;
    const name = foldName(table.name);
    if (SCHEMA_TABLES.has(name)) return !mayReadSchema(scopes);
    const relation = catalog.relations.find((candidate) => foldName(candidate.name) === name);
    return relation !== undefined && needsShield(relation, scopes);
  });
  if (qualified === undefined) return null;
  return {
    code: "qualified_name",
    message: `Write ${qualified.name} without ${qualified.qualifier} in front of it.`,
    advice: [`Use the bare name ${qualified.name}.`],
    offset: shape.tokens[qualified.index]?.start ?? 0,
  };
}

/** The schema table is opened by its shield only: the statement names it bare and no view reached mentions it. */
function isShieldedSchema(input: AccessInput): boolean {
  const { reach } = input;
  return [...SCHEMA_TABLES].every((name) => !reach.throughViews.has(name));
}

/** True when the cursor may read a denied or masked column. */
function findForbiddenColumn(input: AccessInput, opened: OpenedCursor, place: Place, viaView: boolean): boolean {
  const { program, scopes } = input;
  const { relation, index } = place;
  const isForbidden = (column: string | null | undefined): boolean =>
    column === undefined ||
    (column !== null &&
      (isDeniedColumn(scopes, relation.name, column) || isMaskedColumn(scopes, relation.name, column)));
  const stored = index === null ? storedColumns(relation) : index.columns;
  const key = rowidColumn(relation);
  if (program.readsWhole.has(opened.cursor)) return true;
  for (const position of program.reads.get(opened.cursor) ?? []) {
    if (position === -1 ? isForbidden(key) : position < stored.length && isForbidden(stored[position])) return true;
    // An expression in an index may be made of a forbidden column.
    if (position >= 0 && index !== null && stored[position] === null && index.sql !== null && viaView) return true;
  }
  // Walking an index without reading from it still tells its order; only a view could ask for that order.
  return index !== null && viaView && stored.some((column) => isForbidden(column));
}

/** Columns in the order of a stored record: virtual ones are not stored; without row ids, the key comes first. */
function storedColumns(relation: CatalogRelation): readonly (string | null)[] {
  const stored = relation.columns.filter((column) => column.kind !== "generated_virtual" && column.kind !== "hidden");
  if (!relation.withoutRowid) return stored.map((column) => column.name);
  const key = stored.filter((column) => column.keyPosition > 0).sort((a, b) => a.keyPosition - b.keyPosition);
  return [...key, ...stored.filter((column) => column.keyPosition === 0)].map((column) => column.name);
}

/** The column that is the row id itself, or null. */
function rowidColumn(relation: CatalogRelation): string | null {
  const key = relation.columns.filter((column) => column.keyPosition > 0);
  const only = key[0];
  return key.length === 1 && only !== undefined && /^INTEGER$/i.test(only.type) ? only.name : null;
}

function refuseTable(input: AccessInput, relation: CatalogRelation | null): SqlRefusal {
  const { reach, shape } = input;
  const name = relation === null ? null : foldName(relation.name);
  const written = shape.tables.find((table) => foldName(table.name) === name);
  const view = reach.views.find((candidate) => reach.own.has(foldName(candidate.name)));
  const advice = ["Use list_tables to see what can be read, and ask of those tables only."];
  if (written !== undefined) {
    return {
      code: "table_not_readable",
      message: `There is no readable table ${JSON.stringify(written.name)}.`,
      advice,
      offset: shape.tokens[written.index]?.start ?? 0,
    };
  }
  const subject = view === undefined ? "The query" : `The view ${JSON.stringify(view.name)}`;
  return { code: "table_not_readable", message: `${subject} reads tables that are not readable here.`, advice };
}

function refuseColumn(input: AccessInput, relation: CatalogRelation): SqlRefusal {
  const isWritten = input.shape.tables.some((table) => foldName(table.name) === foldName(relation.name));
  const view = input.reach.views.find((candidate) => input.reach.own.has(foldName(candidate.name)));
  const subject = isWritten || view === undefined ? "The query" : `The view ${JSON.stringify(view.name)}`;
  return {
    code: "column_not_readable",
    message: `${subject} reads columns that are not readable here.`,
    advice: ["Use describe_tables to see which columns can be read, and select those from the tables themselves."],
  };
}

function refuseUnknown(): SqlRefusal {
  return {
    code: "schema_changed",
    message: "The query opens a table that was not there when the schema was read.",
    advice: ["Read the schema again, then repeat the query."],
  };
}
