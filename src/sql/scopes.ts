/**
 * What a caller may read: allowed and denied tables and columns, masked columns, masks by kind of value, a row cap.
 * Names compare as SQLite compares them, without regard to ASCII case. Also which tables are hidden from everyone:
 * Cloudflare's own, SQLite's own, D1's list of migrations, and the shadow tables behind full-text and R*Tree tables.
 * Enforced by verdict.ts on what the engine opens, and by schema.ts on what is shown. Pure: no I/O, no clock.
 */
import type { CatalogRelation } from "./catalog.ts";

/** Kinds of values that can be masked wherever they appear. */
export type MaskedValueKind = "email" | "phone" | "credit_card" | "us_ssn" | "ip_address";

export interface Scopes {
  readonly tables?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  /** `Table.column`, or `*.column` for that column of every table. */
  readonly columns?: { readonly deny?: readonly string[]; readonly mask?: readonly string[] };
  readonly maskValues?: readonly MaskedValueKind[];
  /** Rows of a result that are kept, at most. */
  readonly rowCap?: number;
}

/** Stands in a masked column, in results and in every comparison the query makes. */
export const MASK_TEXT = "***";

/** Case-folds ASCII only, as SQLite does for names. */
export function foldName(name: string): string {
  // Called for every name of every statement: most are folded already, and most others are ASCII throughout.
  if (!/[A-Z]/.test(name)) return name;
  if (!/[^ -~]/.test(name)) return name.toLowerCase();
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** True for tables that nobody is shown and that no query may open, but SQLite's schema table (see `mayReadSchema`). */
export function isHidden(relation: Pick<CatalogRelation, "name" | "kind">): boolean {
  const name = foldName(relation.name);
  return (
    relation.kind === "shadow" || name.startsWith("_cf_") || name.startsWith("sqlite_") || name === "d1_migrations"
  );
}

/** True when the caller's scopes let the table be read at all. */
export function mayReadTable(scopes: Scopes, table: string): boolean {
  const name = foldName(table);
  const { allow, deny } = scopes.tables ?? {};
  if (deny?.some((denied) => foldName(denied) === name)) return false;
  return allow === undefined || allow.some((allowed) => foldName(allowed) === name);
}

export function isDeniedColumn(scopes: Scopes, table: string, column: string): boolean {
  return matchesColumn(scopes.columns?.deny, table, column);
}

export function isMaskedColumn(scopes: Scopes, table: string, column: string): boolean {
  return matchesColumn(scopes.columns?.mask, table, column);
}

/** True when some column is denied or masked, so that the verdict must look at columns. */
export function hasColumnRules(scopes: Scopes): boolean {
  return (scopes.columns?.deny?.length ?? 0) > 0 || (scopes.columns?.mask?.length ?? 0) > 0;
}

/**
 * `sqlite_schema` holds the DDL of every table, denied ones too, so only a caller with nothing denied may read it.
 * Such a read is harmless and common in hand-written SQL; everybody else is pointed to the schema tools.
 */
export function mayReadSchema(scopes: Scopes): boolean {
  const { allow, deny } = scopes.tables ?? {};
  return allow === undefined && (deny?.length ?? 0) === 0 && !hasColumnRules(scopes);
}

function matchesColumn(rules: readonly string[] | undefined, table: string, column: string): boolean {
  if (rules === undefined) return false;
  const names = [foldName(`${table}.${column}`), foldName(`*.${column}`)];
  return rules.some((rule) => names.includes(foldName(rule)));
}
