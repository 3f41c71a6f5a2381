/**
 * Reads the schema text that every model is shown (system prompt, describe_tables) back into tables and columns.
 * Owns: that text format, as read. Leaves to others: writing it (sql/schema.ts), keys and paths (schema-graph.ts).
 * A line that cannot be read is passed over: half a schema is worth more than none. Pure: no I/O, no clock.
 */

export interface ForeignKey {
  readonly table: string;
  readonly column: string;
}

export interface Column {
  readonly name: string;
  /** Declared type in upper case, or "". */
  readonly type: string;
  /** Position in the primary key from 1, or 0. */
  readonly keyPosition: number;
  readonly notNull: boolean;
  readonly masked: boolean;
  readonly references: ForeignKey | null;
  /** Sample values of a text column with few of them. */
  readonly values: readonly string[];
  /** True when `values` are all that there are. */
  readonly valuesComplete: boolean;
}

export interface Table {
  readonly name: string;
  readonly kind: "table" | "view";
  /** Null when unknown. */
  readonly rows: number | null;
  readonly isSearchIndex: boolean;
  readonly broken: boolean;
  readonly columns: readonly Column[];
}

export interface SchemaText {
  readonly tables: readonly Table[];
  /** Names that stand in quotes, in small letters: all keywords among them, and perhaps words of values. */
  readonly quoted: ReadonlySet<string>;
  /** Tables that the text left out. */
  readonly omitted: number;
}

interface Cursor {
  readonly text: string;
  at: number;
}

/** Reads schema text. Never fails: what is no schema gives no tables. */
export function parseSchemaText(text: string): SchemaText {
  const tables: Table[] = [];
  let columns: Column[] = [];
  let omitted = 0;
  const quoted = new Set([...text.matchAll(/"((?:[^"\n]|"")*)"/g)].map(([, name = ""]) => name.toLowerCase()));
  for (const line of text.split("\n")) {
    const more = /^…\s*(\d+) more tables?/.exec(line);
    if (more !== null) {
      omitted += Number(more[1]);
    } else if (/^(table|view) /.test(line)) {
      columns = [];
      const table = parseTableLine(line, columns);
      if (table !== null) tables.push(table);
    } else if (line.startsWith("  ")) {
      const column = parseColumnLine(line);
      if (column !== null) columns.push(column);
    }
  }
  return { tables, quoted, omitted };
}

function parseTableLine(line: string, columns: readonly Column[]): Table | null {
  const kind = line.startsWith("view ") ? "view" : "table";
  const cursor: Cursor = { text: line, at: kind.length + 1 };
  const name = readName(cursor);
  if (name === null) return null;
  const rest = line.slice(cursor.at);
  const rows = /^\s*\((\d+)\+? rows?\)/.exec(rest);
  return {
    name,
    kind,
    rows: rows === null ? null : Number(rows[1]),
    isSearchIndex: /\bfts[345]\b|\brtree\b/.test(rest),
    broken: /\bbroken:/.test(rest),
    columns,
  };
}

/** The parts after the type come in a fixed order; each is optional. */
function parseColumnLine(line: string): Column | null {
  const cursor: Cursor = { text: line, at: 0 };
  skipSpaces(cursor);
  const name = readName(cursor);
  if (name === null) return null;
  const rest = line.slice(cursor.at);
  const start = rest.search(/ (primary key|not null|generated|masked|values:|->)/);
  const type = (start < 0 ? rest : rest.slice(0, start)).trim().toUpperCase();
  const tail = start < 0 ? "" : rest.slice(start);
  const valuesAt = tail.indexOf(" values: ");
  const flags = valuesAt < 0 ? tail : tail.slice(0, valuesAt);
  const key = /\bprimary key(?: (\d+))?/.exec(flags);
  const values = valuesAt < 0 ? [] : readLiterals(tail.slice(valuesAt + 9));
  return {
    name,
    type,
    keyPosition: key === null ? 0 : Number(key[1] ?? 1),
    notNull: /\bnot null\b/.test(flags),
    masked: /\bmasked\b/.test(flags),
    references: readReference(flags),
    values,
    valuesComplete: values.length > 0 && !tail.trimEnd().endsWith("…"),
  };
}

function readReference(flags: string): ForeignKey | null {
  const at = flags.indexOf("-> ");
  if (at < 0) return null;
  const cursor: Cursor = { text: flags, at: at + 3 };
  const table = readName(cursor);
  if (table === null || flags[cursor.at] !== ".") return null;
  cursor.at += 1;
  const column = readName(cursor);
  return column === null ? null : { table, column };
}

function readLiterals(text: string): readonly string[] {
  return [...text.matchAll(/'((?:[^']|'')*)'/g)].map((match) => (match[1] ?? "").replaceAll("''", "'"));
}

/** A bare or double-quoted name; the cursor ends behind it. */
function readName(cursor: Cursor): string | null {
  const rest = cursor.text.slice(cursor.at);
  const quoted = /^"((?:[^"]|"")*)"/.exec(rest);
  if (quoted !== null) {
    cursor.at += quoted[0].length;
    return (quoted[1] ?? "").replaceAll('""', '"');
  }
  const bare = /^[^\s."(]+/.exec(rest);
  if (bare === null) return null;
  cursor.at += bare[0].length;
  return bare[0];
}

function skipSpaces(cursor: Cursor): void {
  while (cursor.text[cursor.at] === " ") cursor.at += 1;
}
