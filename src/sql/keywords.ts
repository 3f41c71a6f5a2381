/**
 * How names and texts are written in SQL, and SQLite's keywords: all of them, whether or not they may also be names,
 * since a name that is one is always written in quotes here. Pure: no I/O, no clock.
 */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "abort action add after all alter always analyze and as asc attach autoincrement before begin between by cascade " +
    "case cast check collate column commit conflict constraint create cross current current_date current_time " +
    "current_timestamp database default deferrable deferred delete desc detach distinct do drop each else end escape " +
    "except exclude exclusive exists explain fail filter first following for foreign from full generated glob group " +
    "groups having if ignore immediate in index indexed initially inner insert instead intersect into is isnull join " +
    "key last left like limit match materialized natural no not nothing notnull null nulls of offset on or order " +
    "others outer over partition plan pragma preceding primary query raise range recursive references regexp reindex " +
    "release rename replace restrict returning right rollback row rows savepoint select set table temp temporary then " +
    "ties to transaction trigger unbounded union unique update using vacuum values view virtual when where window with " +
    "without"
  ).split(" "),
);

/** The name as it can be written in SQL: bare when it is plain and no keyword, else in double quotes. */
export function toIdentifier(name: string): string {
  const isPlain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.has(name.toLowerCase());
  return isPlain ? name : quoteName(name);
}

/** The name in double quotes, for statements of ours. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Text as an SQL literal. */
export function quoteText(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
