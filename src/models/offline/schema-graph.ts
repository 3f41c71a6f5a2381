/**
 * A schema as the planner sees it: which columns name a row, measure it or date it, and along which keys two tables
 * meet. Declared foreign keys come first; where a column has none, an equal name stands in for it.
 * Leaves to others: what a question means by a word (linking.ts). Pure: no I/O, no clock.
 */
import type { Column, SchemaText, Table } from "./schema-text.ts";
import { likeness, stemOf, wordsOfName } from "./words.ts";

export interface ColumnNode extends Column {
  readonly table: string;
  readonly words: readonly string[];
  /** The words without those that repeat the table's name. */
  readonly ownWords: readonly string[];
  readonly kind: "number" | "text" | "date" | "year" | "flag" | "blob";
  readonly isKey: boolean;
}

export interface TableNode extends Table {
  readonly words: readonly string[];
  readonly columns: readonly ColumnNode[];
  readonly keys: readonly ColumnNode[];
  /** The columns a person would know a row by; may be empty. */
  readonly labels: readonly ColumnNode[];
  /** Holds little but keys of other tables. */
  readonly isBridge: boolean;
}

/** A child's columns that point to a parent's. */
export interface Edge {
  readonly child: string;
  readonly childColumns: readonly string[];
  readonly parent: string;
  readonly parentColumns: readonly string[];
}

/** One step along an edge: `up` from child to parent (at most one row), `down` from parent to children. */
export interface Hop {
  readonly edge: Edge;
  readonly direction: "up" | "down";
}

export interface SchemaGraph {
  readonly tables: readonly TableNode[];
  readonly edges: readonly Edge[];
  /** Names that must be written in quotes. */
  readonly quoted: ReadonlySet<string>;
  readonly omitted: number;
}

/**
 * Builds the graph. Broken tables and masked columns are left out, and search indexes whose columns another table holds:
 * a query on them cannot help. A full-text table that alone holds its text is a table like any other.
 */
export function createSchemaGraph(schema: SchemaText): SchemaGraph {
  const dictionary = collectWords(schema);
  const whole = schema.tables.filter((table) => !table.broken && table.columns.length > 0);
  const usable = whole.filter((table) => !table.isSearchIndex || !whole.some((other) => isIndexOf(table, other)));
  const hidden = schema.tables.filter((table) => table.isSearchIndex).map((table) => `${table.name}_`);
  const tables = usable
    .filter((table) => !hidden.some((prefix) => table.name.startsWith(prefix)))
    .map((table) => toTableNode(table, dictionary));
  return {
    tables,
    edges: [...declaredEdges(tables), ...guessedEdges(tables)],
    quoted: schema.quoted,
    omitted: schema.omitted,
  };
}

function isIndexOf(index: Table, table: Table): boolean {
  const names = new Set(table.columns.map((column) => column.name.toLowerCase()));
  return !table.isSearchIndex && index.columns.every((column) => names.has(column.name.toLowerCase()));
}

export function tableNamed(graph: SchemaGraph, name: string): TableNode | undefined {
  const exact = graph.tables.find((table) => table.name === name);
  return exact ?? graph.tables.find((table) => table.name.toLowerCase() === name.toLowerCase());
}

function collectWords(schema: SchemaText): ReadonlySet<string> {
  const words = new Set<string>();
  for (const table of schema.tables) {
    for (const name of [table.name, ...table.columns.map((column) => column.name)]) {
      for (const word of wordsOfName(name)) if (word.length >= 3) words.add(word);
    }
  }
  return words;
}

function toTableNode(table: Table, dictionary: ReadonlySet<string>): TableNode {
  const words = wordsOfName(table.name, dictionary).filter((word) => word !== "tbl" && word !== "table");
  const columns = table.columns
    .filter((column) => !column.masked)
    .map((column) => toColumnNode(column, table.name, words, dictionary));
  const keys = columns.filter((column) => column.keyPosition > 0).sort((a, b) => a.keyPosition - b.keyPosition);
  const pointers = columns.filter((column) => column.references !== null).length;
  return {
    ...table,
    words,
    columns,
    keys,
    labels: labelsOf(columns, words),
    isBridge: pointers >= 2 && columns.length - pointers <= 1,
  };
}

function toColumnNode(
  column: Column,
  table: string,
  tableWords: readonly string[],
  dictionary: ReadonlySet<string>,
): ColumnNode {
  const words = wordsOfName(column.name, dictionary);
  const own = words.filter((word) => !tableWords.includes(word));
  const isKey = column.keyPosition > 0 || column.references !== null || /(^|[_a-z])(id|ID|Id)$/.test(column.name);
  return { ...column, table, words, ownWords: own.length === 0 ? words : own, isKey, kind: kindOf(column, words) };
}

function kindOf(column: Column, words: readonly string[]): ColumnNode["kind"] {
  const { type, values } = column;
  if (/BLOB|BINARY|IMAGE/.test(type)) return "blob";
  if (/BOOL/.test(type) || (values.length > 0 && values.length <= 2 && values.every(isFlagValue))) return "flag";
  if (/^(is|has)[_A-Z]/.test(column.name) || words[0] === "is") return "flag";
  if (/DATE|TIMESTAMP/.test(type)) return "date";
  if (words.includes("year") || type === "YEAR") return "year";
  const numeric = /INT|REAL|FLOA|DOUB|NUM|DEC|MONEY/.test(type);
  if (!numeric && (words.includes("date") || /_(at|on)$/.test(column.name))) return "date";
  if (values.length > 0 && values.every((value) => /^\d{4}-\d{2}-\d{2}/.test(value))) return "date";
  return numeric ? "number" : "text";
}

function isFlagValue(value: string): boolean {
  return /^(0|1|t|f|y|n|true|false|yes|no)$/i.test(value);
}

/** First and last name together, else a name, else a title, else the first text column that is no key. */
function labelsOf(columns: readonly ColumnNode[], tableWords: readonly string[]): readonly ColumnNode[] {
  const texts = columns.filter((column) => column.kind === "text" && column.references === null);
  const named = (words: string): ColumnNode | undefined => texts.find((column) => column.words.join(" ") === words);
  const first = named("first name");
  const last = named("last name");
  if (first !== undefined && last !== undefined) return [first, last];
  const whole = [named("name"), named("full name"), named(`${tableWords.join(" ")} name`), named("title")];
  const found = whole.find((column) => column !== undefined) ?? texts.find((column) => column.words.at(-1) === "name");
  if (found !== undefined) return [found];
  const rest =
    texts.find((column) => column.words.at(-1) === "title" || column.words.includes("description")) ??
    texts.find((column) => column.keyPosition === 0 && !column.isKey) ??
    texts[0];
  return rest === undefined ? [] : [rest];
}

/** Columns of one compound key share one edge: those of a child that point to the same parent's different columns. */
function declaredEdges(tables: readonly TableNode[]): readonly Edge[] {
  const edges: Edge[] = [];
  for (const child of tables) {
    const byParent = new Map<string, ColumnNode[]>();
    for (const column of child.columns) {
      if (column.references === null) continue;
      const list = byParent.get(column.references.table) ?? [];
      byParent.set(column.references.table, [...list, column]);
    }
    for (const [parentName, columns] of byParent) {
      const parent = tables.find((table) => table.name.toLowerCase() === parentName.toLowerCase());
      if (parent !== undefined) edges.push(...edgesTo(child, parent, columns));
    }
  }
  return edges;
}

function edgesTo(child: TableNode, parent: TableNode, columns: readonly ColumnNode[]): readonly Edge[] {
  const targets = columns.map((column) => column.references?.column ?? "");
  const compound = columns.length > 1 && new Set(targets).size === columns.length && parent.keys.length > 1;
  const make = (from: readonly ColumnNode[]): Edge => ({
    child: child.name,
    childColumns: from.map((column) => column.name),
    parent: parent.name,
    parentColumns: from.map((column) => column.references?.column ?? ""),
  });
  return compound ? [make(columns)] : columns.map((column) => make([column]));
}

/** The way along which a column points to another table's rows. */
export function edgeOf(graph: SchemaGraph, column: ColumnNode): Edge | undefined {
  return graph.edges.find((edge) => edge.child === column.table && edge.childColumns.includes(column.name));
}

/** `customer_id` meets `customers.customer_id` or `customers.id` although nobody declared it. */
function guessedEdges(tables: readonly TableNode[]): readonly Edge[] {
  const edges: Edge[] = [];
  for (const child of tables) {
    for (const column of child.columns) {
      if (column.references !== null || column.kind === "blob") continue;
      if (column.keyPosition > 0 && child.keys.length === 1) continue;
      const parent = tables.find((table) => table !== child && table.kind === "table" && isNameOfKey(column, table));
      const key = parent?.keys[0];
      if (parent === undefined || key === undefined) continue;
      edges.push({
        child: child.name,
        childColumns: [column.name],
        parent: parent.name,
        parentColumns: [key.name],
      });
    }
  }
  return edges;
}

function isNameOfKey(column: ColumnNode, parent: TableNode): boolean {
  const key = parent.keys[0];
  if (key === undefined || parent.keys.length !== 1) return false;
  const own = column.words.join(" ");
  const generic = key.words.join(" ") === "id" || key.words.join(" ") === "name";
  if (!generic) return own === key.words.join(" ") && /id$|code$|key$|no$/i.test(column.name);
  return own === [...parent.words, ...key.words].join(" ");
}

/**
 * The shortest way between two tables, or null. Going up is a little cheaper than going down, an edge whose column
 * the question speaks of cheaper still; views are never passed through.
 */
export function findPath(
  graph: SchemaGraph,
  from: string,
  to: string,
  hints: ReadonlySet<string>,
): readonly Hop[] | null {
  const spoken = spokenOf(graph, hints);
  const best = new Map<string, { readonly cost: number; readonly hops: readonly Hop[] }>([
    [from, { cost: 0, hops: [] }],
  ]);
  const queue = [from];
  while (queue.length > 0) {
    queue.sort((a, b) => (best.get(a)?.cost ?? 0) - (best.get(b)?.cost ?? 0));
    const here = queue.shift();
    const known = here === undefined ? undefined : best.get(here);
    if (here === undefined || known === undefined) break;
    if (here === to) return known.hops;
    if (known.hops.length >= 5) continue;
    for (const hop of hopsFrom(graph, here)) {
      const next = hop.direction === "up" ? hop.edge.parent : hop.edge.child;
      const cost = known.cost + hopCost(hop, spoken);
      if (next === here || cost >= (best.get(next)?.cost ?? Number.POSITIVE_INFINITY)) continue;
      best.set(next, { cost, hops: [...known.hops, hop] });
      if (!queue.includes(next)) queue.push(next);
    }
  }
  return null;
}

export function hopsFrom(graph: SchemaGraph, table: string): readonly Hop[] {
  const up = graph.edges.filter((edge) => edge.child === table).map((edge) => ({ edge, direction: "up" }) as const);
  const down = graph.edges
    .filter((edge) => edge.parent === table)
    .map((edge) => ({ edge, direction: "down" }) as const);
  return [...up, ...down];
}

function hopCost(hop: Hop, spoken: Spoken): number {
  const table = hop.direction === "up" ? hop.edge.parent : hop.edge.child;
  const base = hop.direction === "up" ? 1 : 1.15;
  return base - (spoken.edges.has(hop.edge) ? 0.1 : 0) - (spoken.tables.has(table) ? 0.6 : 0);
}

/** What of the schema the words of a question touch. */
interface Spoken {
  readonly tables: ReadonlySet<string>;
  readonly edges: ReadonlySet<Edge>;
}

/** One question asks for many paths: what its words touch is worked out once. */
const SPOKEN = new WeakMap<SchemaGraph, WeakMap<ReadonlySet<string>, Spoken>>();

function spokenOf(graph: SchemaGraph, hints: ReadonlySet<string>): Spoken {
  const ofGraph = SPOKEN.get(graph) ?? new WeakMap<ReadonlySet<string>, Spoken>();
  SPOKEN.set(graph, ofGraph);
  const known = ofGraph.get(hints);
  if (known !== undefined) return known;
  const touches = (word: string): boolean => [...hints].some((hint) => likeness(hint, word) >= 0.75);
  const made: Spoken = {
    tables: new Set(graph.tables.filter((table) => wordsOfName(table.name).some(touches)).map((table) => table.name)),
    edges: new Set(
      graph.edges.filter((edge) =>
        edge.childColumns.flatMap((name) => wordsOfName(name)).some((word) => word !== "id" && hints.has(stemOf(word))),
      ),
    ),
  };
  ofGraph.set(hints, made);
  return made;
}
