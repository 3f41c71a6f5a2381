/**
 * How far a statement's words reach: every name it mentions in any position, and the views among them with all the
 * names that those mention in turn. Deliberately too wide (a name in a string counts), because it serves proofs of
 * absence: what is not mentioned here cannot be named by the statement. Pure: no I/O, no clock.
 */
import type { Catalog, CatalogRelation } from "./catalog.ts";
import { type Token, tokenize, unquote } from "./lexer.ts";
import { foldName } from "./scopes.ts";
import { matchBrackets, readShape, type StatementShape, type TableReference } from "./statement.ts";

export interface Reach {
  /** Folded names that the statement itself mentions. */
  readonly own: ReadonlySet<string>;
  /** Views reached, directly or through other views. */
  readonly views: readonly CatalogRelation[];
  /** Folded names that those views mention. */
  readonly throughViews: ReadonlySet<string>;
  /** Table references of the statement and of the views reached. */
  readonly tables: readonly TableReference[];
}

/** Collects what a statement can reach. */
export function toReach(shape: StatementShape, catalog: Catalog): Reach {
  const views = new Map(
    catalog.relations
      .filter((relation) => relation.kind === "view")
      .map((relation) => [foldName(relation.name), relation]),
  );
  const own = mentions(shape.tokens);
  const reached = new Map<string, CatalogRelation>();
  const throughViews = new Set<string>();
  const tables = [...shape.tables];
  const queue = [...own];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const view = views.get(name);
    if (view === undefined || reached.has(name)) continue;
    reached.set(name, view);
    const tokens = tokenize(view.sql).filter((token) => token.kind !== "blank" && token.kind !== "comment");
    for (const mentioned of mentions(tokens)) {
      // Its own name stands in its DDL, and a view cannot read itself.
      if (mentioned === name) continue;
      throughViews.add(mentioned);
      queue.push(mentioned);
    }
    const closing = matchBrackets(tokens);
    if (closing !== null) tables.push(...readShape(tokens, closing).tables);
  }
  return { own, views: [...reached.values()], throughViews, tables };
}

function mentions(tokens: readonly Token[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const token of tokens) {
    if (token.kind === "word" || token.kind === "name" || token.kind === "string") names.add(foldName(unquote(token)));
  }
  return names;
}
