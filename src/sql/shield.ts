/**
 * Column scopes as the query sees them: a table with denied or masked columns is put behind a common table of the same
 * name, without the denied columns and with a constant in the masked ones, so that `*`, filters, groups and sorts see
 * the mask and never the value. SQLite resolves a bare name to the nearest common table, and the shield forbids the
 * qualified spelling `main.t` that would go around it; what views open is checked by verdict.ts.
 * `sqlite_schema` gets the same: only the rows of what the caller may see. Pure: no I/O, no clock.
 */
import type { Catalog, CatalogRelation } from "./catalog.ts";
import { quoteName, quoteText } from "./keywords.ts";
import {
  foldName,
  hasColumnRules,
  isDeniedColumn,
  isMaskedColumn,
  MASK_TEXT,
  mayReadSchema,
  type Scopes,
} from "./scopes.ts";
import type { StatementShape } from "./statement.ts";
import { visibleRelations } from "./visible.ts";

/** Names under which SQLite's own schema table can be read. */
export const SCHEMA_TABLES: ReadonlySet<string> = new Set(["sqlite_schema", "sqlite_master"]);

export interface Shield {
  /** Definitions for a WITH clause, in front of the statement; empty when nothing needs one. */
  readonly definitions: readonly string[];
}

/** The shields for the tables that a statement names. */
export function toShield(shape: StatementShape, catalog: Catalog, scopes: Scopes): Shield {
  const named = new Set(shape.tables.map((table) => foldName(table.name)));
  const definitions = catalog.relations
    .filter((relation) => named.has(foldName(relation.name)) && needsShield(relation, scopes))
    .map((relation) => shieldTable(relation, scopes));
  if (!mayReadSchema(scopes)) {
    for (const name of SCHEMA_TABLES) if (named.has(name)) definitions.push(shieldSchema(name, catalog, scopes));
  }
  return { definitions };
}

/** True when some column of the table is denied or masked for the caller. */
export function needsShield(relation: CatalogRelation, scopes: Scopes): boolean {
  return (
    hasColumnRules(scopes) &&
    relation.columns.some(
      (column) =>
        isDeniedColumn(scopes, relation.name, column.name) || isMaskedColumn(scopes, relation.name, column.name),
    )
  );
}

function shieldTable(relation: CatalogRelation, scopes: Scopes): string {
  const columns = relation.columns
    .filter((column) => column.kind !== "hidden" && !isDeniedColumn(scopes, relation.name, column.name))
    .map((column) =>
      isMaskedColumn(scopes, relation.name, column.name)
        ? `${quoteText(MASK_TEXT)} AS ${quoteName(column.name)}`
        : quoteName(column.name),
    );
  const list = columns.length === 0 ? "NULL" : columns.join(", ");
  // NOT MATERIALIZED keeps the table's indexes in use however often the statement names it.
  return `${quoteName(relation.name)} AS NOT MATERIALIZED (SELECT ${list} FROM main.${quoteName(relation.name)})`;
}

function shieldSchema(name: string, catalog: Catalog, scopes: Scopes): string {
  const names = visibleRelations(catalog, scopes)
    .map((relation) => quoteText(relation.name))
    .join(", ");
  // DDL text would tell the names of denied columns, and of denied tables in foreign keys and views.
  return (
    `${quoteName(name)} AS NOT MATERIALIZED (SELECT type, name, tbl_name, NULL AS rootpage, NULL AS sql ` +
    `FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name IN (${names}))`
  );
}
