/**
 * Which tables and views a caller is shown: exactly those that a query of theirs could read. A view is hidden when it
 * reads what they may not, since its column names would tell of it and every query on it would be refused.
 * Pure: no I/O, no clock.
 */
import type { Catalog, CatalogRelation } from "./catalog.ts";
import { type Token, tokenize, unquote } from "./lexer.ts";
import {
  foldName,
  hasColumnRules,
  isDeniedColumn,
  isHidden,
  isMaskedColumn,
  mayReadTable,
  type Scopes,
} from "./scopes.ts";

/** The relations of the catalog that the caller may see, in its order. */
export function visibleRelations(catalog: Catalog, scopes: Scopes): readonly CatalogRelation[] {
  const byName = new Map(catalog.relations.map((relation) => [foldName(relation.name), relation]));
  return catalog.relations.filter((relation) => {
    if (isHidden(relation) || !mayReadTable(scopes, relation.name)) return false;
    return relation.kind !== "view" || isReadableView(relation, byName, scopes);
  });
}

function isReadableView(view: CatalogRelation, byName: ReadonlyMap<string, CatalogRelation>, scopes: Scopes): boolean {
  const seen = new Set<string>([foldName(view.name)]);
  const names = new Set<string>();
  const queue = [view];
  for (let current = queue.pop(); current !== undefined; current = queue.pop()) {
    for (const name of namesIn(current.sql)) {
      names.add(name);
      const relation = byName.get(name);
      // A broken view tells the name of what it misses.
      if (relation === undefined && view.broken !== null && isDenied(name, scopes)) return false;
      if (relation === undefined || seen.has(name)) continue;
      seen.add(name);
      if (isHidden(relation) || isDenied(name, scopes)) return false;
      if (relation.kind === "view") queue.push(relation);
    }
  }
  if (!hasColumnRules(scopes)) return true;
  const shown = new Set(view.columns.map((column) => foldName(column.name)));
  // Rules on the view's own columns are kept by its shield.
  seen.delete(foldName(view.name));
  return [...seen].every((name) => !readsForbiddenColumn(byName.get(name), names, shown, scopes));
}

/** Not being on an allow list is no bar here: the view itself is on it, and grants what it shows. */
function isDenied(name: string, scopes: Scopes): boolean {
  return scopes.tables?.deny?.some((denied) => foldName(denied) === name) ?? false;
}

/** A view reads a column by naming it, or by `*`, which then shows among its own columns. */
function readsForbiddenColumn(
  relation: CatalogRelation | undefined,
  names: ReadonlySet<string>,
  shown: ReadonlySet<string>,
  scopes: Scopes,
): boolean {
  if (relation === undefined) return false;
  return relation.columns.some((column) => {
    const isForbidden =
      isDeniedColumn(scopes, relation.name, column.name) || isMaskedColumn(scopes, relation.name, column.name);
    const name = foldName(column.name);
    return isForbidden && (names.has(name) || shown.has(name));
  });
}

function namesIn(sql: string): readonly string[] {
  const isName = (token: Token): boolean => token.kind === "word" || token.kind === "name" || token.kind === "string";
  return tokenize(sql)
    .filter(isName)
    .map((token) => foldName(unquote(token)));
}
