/**
 * Cells without loss. D1 hands values over as JSON: integers beyond 2^53 are rounded, infinities become null, BLOBs are
 * long lists of numbers, invalid UTF-8 is replaced. So a query runs inside one more SELECT that gives each cell in a
 * form that survives, and one more column `k` with the kind of every cell of the row, a letter each:
 *   n null · i integer · I integer as text · r real · P and M infinities · t text · u text that holds a real U+FFFD ·
 *   T<bytes>; text cut · b<bytes>; BLOB as hex of its first bytes.
 * The inner LIMIT beside the outer one keeps SQLite from merging the two, so each value is computed once.
 * What JSON cannot hold becomes a tagged object (see `decodeCell`), which is a stored contract: only ever add to it.
 * Pure: no I/O, no clock.
 */
import type { Cell } from "../agent/tool.ts";
import { assert } from "../lib/assert.ts";
import type { Row } from "./connection.ts";
import { maskText } from "./masks.ts";
import type { MaskedValueKind } from "./scopes.ts";
import type { StatementBody } from "./verdict.ts";

export type CellKind = "null" | "integer" | "real" | "text" | "blob";

export interface DecodedCell {
  readonly kind: CellKind;
  readonly cell: Cell;
  /** True when something of the value is not in the cell. */
  readonly isCut: boolean;
}

/** D1 allows 100 result columns; the kinds take one. */
const TYPED_COLUMNS_MAX = 99;
/** Bytes of one text cell that are kept: a long paragraph. */
const CELL_BYTES_MAX = 8_192;
/** Never cut below this, however many columns. */
const CELL_BYTES_MIN = 1_024;
/** What D1 may hand over at once, before the result's own cap: well within a Worker's 128 MB. */
const TRANSFER_BYTES_MAX = 48_000_000;
/** Bytes of a BLOB that are kept as hex: hashes, keys, small headers. */
const BLOB_BYTES_SHOWN = 64;
const EXACT_INTEGER_MAX = Number.MAX_SAFE_INTEGER;
/** SQLite's concat() takes more, but 32 arguments are what D1 documents. */
const CONCAT_ARGUMENTS_MAX = 30;

/** The statement that runs: cells `c0`, `c1`, … and their kinds `k`. */
export function toTypedSql(body: StatementBody, columns: number, rowsMax: number): string {
  const names = columnNames(columns);
  const bytesMax = cellBytesMax(columns, rowsMax);
  const cells = names.map((name) => `${toCellSql(name, bytesMax)} AS ${name}`);
  const kinds = concat(names.map((name) => toKindSql(name, bytesMax)));
  if (columns <= TYPED_COLUMNS_MAX) return fromRows(body, columns, rowsMax, [...cells, `${kinds} AS k`]);
  // No column is left for the kinds: they travel in front of the first cell, which then is text.
  const first = `CASE typeof(c0) WHEN 'real' THEN printf('%!.17g',c0) ELSE ${toCellSql("c0", bytesMax)} END`;
  return fromRows(body, columns, rowsMax, [`concat(${kinds},char(10),${first}) AS k`, ...cells.slice(1)]);
}

/** The same with bare cells, for a statement so long that nothing else fits beside it. */
export function toPlainSql(body: StatementBody, columns: number, rowsMax: number): string {
  return fromRows(body, columns, rowsMax, columnNames(columns));
}

/** Columns get names of ours: SQLite makes equal names unique at random beyond four, and objects sort numeric keys. */
function fromRows(body: StatementBody, columns: number, rowsMax: number, selected: readonly string[]): string {
  const inner = `"querent rows"(${columnNames(columns).join(",")}) AS (SELECT * FROM (\n${body.body}\n) LIMIT ${rowsMax})`;
  const definitions = [...body.definitions, inner].join(", ");
  return `WITH ${definitions} SELECT ${selected.join(",")} FROM "querent rows" LIMIT ${rowsMax}`;
}

function columnNames(columns: number): readonly string[] {
  return Array.from({ length: columns }, (_, index) => `c${index}`);
}

function cellBytesMax(columns: number, rowsMax: number): number {
  const share = Math.floor(TRANSFER_BYTES_MAX / (columns * rowsMax));
  return Math.max(CELL_BYTES_MIN, Math.min(CELL_BYTES_MAX, share));
}

function toCellSql(name: string, bytesMax: number): string {
  return (
    `CASE typeof(${name}) ` +
    `WHEN 'integer' THEN iif(${isExact(name)},${name},CAST(${name} AS TEXT)) ` +
    `WHEN 'text' THEN iif(octet_length(${name})>${bytesMax},CAST(substr(CAST(${name} AS BLOB),1,${bytesMax}) AS TEXT),${name}) ` +
    `WHEN 'blob' THEN hex(substr(${name},1,${BLOB_BYTES_SHOWN})) ELSE ${name} END`
  );
}

function toKindSql(name: string, bytesMax: number): string {
  return (
    `CASE typeof(${name}) ` +
    `WHEN 'integer' THEN iif(${isExact(name)},'i','I') ` +
    `WHEN 'real' THEN CASE ${name} WHEN 9e999 THEN 'P' WHEN -9e999 THEN 'M' ELSE 'r' END ` +
    `WHEN 'text' THEN CASE WHEN octet_length(${name})>${bytesMax} THEN 'T'||octet_length(${name})||';' ` +
    `WHEN instr(${name},char(65533)) THEN 'u' ELSE 't' END ` +
    `WHEN 'blob' THEN 'b'||octet_length(${name})||';' ELSE 'n' END`
  );
}

function isExact(name: string): string {
  return `${name} BETWEEN -${EXACT_INTEGER_MAX} AND ${EXACT_INTEGER_MAX}`;
}

function concat(parts: readonly string[]): string {
  if (parts.length <= CONCAT_ARGUMENTS_MAX) return `concat(${parts.join(",")})`;
  const groups: string[] = [];
  for (let from = 0; from < parts.length; from += CONCAT_ARGUMENTS_MAX) {
    groups.push(concat(parts.slice(from, from + CONCAT_ARGUMENTS_MAX)));
  }
  return concat(groups);
}

/** One row of a typed statement, its cells in order. */
export function decodeRow(row: Row, columns: number, masks: readonly MaskedValueKind[]): readonly DecodedCell[] {
  const [letters = "", ...rest] = typeof row.k === "string" ? row.k.split("\n") : [];
  const kinds = [...letters.matchAll(/[niIrPMtu]|[Tb]\d+;/g)].map((found) => found[0]);
  assert(kinds.length === columns, "a typed row carries a kind for every column");
  return kinds.map((kind, index) => {
    const isPacked = index === 0 && columns > TYPED_COLUMNS_MAX;
    return decodeCell(kind, isPacked ? unpack(kind, rest.join("\n")) : row[`c${index}`], masks);
  });
}

/** The first cell of a row that is too wide for a column of kinds. */
function unpack(kind: string, text: string): unknown {
  return kind === "i" || kind === "r" ? Number(text) : text;
}

/**
 * A cell by its kind. Tagged objects, all with `type`:
 *   {type: "integer", text} beyond 2^53 · {type: "real", text: "Infinity" | "-Infinity"} ·
 *   {type: "blob", blob: bytes, hex, cut?} · {type: "text", text, bytes, cut: true} ·
 *   {type: "text", text, invalid_utf8: true}
 */
function decodeCell(kind: string, value: unknown, masks: readonly MaskedValueKind[]): DecodedCell {
  const text = typeof value === "string" ? value : "";
  const size = Number(kind.slice(1, -1));
  switch (kind[0]) {
    case "i":
      return { kind: "integer", cell: typeof value === "number" ? value : null, isCut: false };
    case "I":
      return { kind: "integer", cell: { type: "integer", text }, isCut: false };
    case "r":
      return { kind: "real", cell: typeof value === "number" ? value : null, isCut: false };
    case "P":
    case "M":
      return { kind: "real", cell: { type: "real", text: kind === "P" ? "Infinity" : "-Infinity" }, isCut: false };
    case "T": {
      // The cut is made between bytes; what it left of a split character is shown by nobody.
      const whole = maskText(text.replace(/\uFFFD{1,3}$/, ""), masks);
      return { kind: "text", cell: { type: "text", text: whole, bytes: size, cut: true }, isCut: true };
    }
    case "b": {
      const isCut = size > BLOB_BYTES_SHOWN;
      const cell = { type: "blob", blob: size, hex: text.toLowerCase(), ...(isCut ? { cut: true } : {}) };
      return { kind: "blob", cell, isCut };
    }
    case "t":
    case "u": {
      const masked = maskText(text, masks);
      const isInvalid = kind === "t" && text.includes("\uFFFD");
      return {
        kind: "text",
        cell: isInvalid ? { type: "text", text: masked, invalid_utf8: true } : masked,
        isCut: false,
      };
    }
    default:
      return { kind: "null", cell: null, isCut: false };
  }
}

/**
 * A cell of a plain statement, for the few that cannot be typed (100 columns, or no room for the wrapper): what D1's
 * JSON has lost is flagged as such, never guessed.
 */
export function decodePlainCell(value: unknown, masks: readonly MaskedValueKind[]): DecodedCell {
  if (typeof value === "number") {
    const isInexact = Math.abs(value) > EXACT_INTEGER_MAX && Number.isInteger(value);
    const kind = Number.isInteger(value) ? "integer" : "real";
    return { kind, cell: isInexact ? { type: "number", text: String(value), inexact: true } : value, isCut: false };
  }
  if (typeof value === "string") {
    if (value.length <= CELL_BYTES_MAX) return { kind: "text", cell: maskText(value, masks), isCut: false };
    const text = maskText(value.slice(0, CELL_BYTES_MAX).toWellFormed(), masks);
    return {
      kind: "text",
      cell: { type: "text", text, bytes: new TextEncoder().encode(value).length, cut: true },
      isCut: true,
    };
  }
  if (Array.isArray(value)) {
    const bytes = value.filter((byte): byte is number => typeof byte === "number");
    const hex = bytes.slice(0, BLOB_BYTES_SHOWN).map((byte) => byte.toString(16).padStart(2, "0"));
    const isCut = bytes.length > BLOB_BYTES_SHOWN;
    return {
      kind: "blob",
      cell: { type: "blob", blob: bytes.length, hex: hex.join(""), ...(isCut ? { cut: true } : {}) },
      isCut,
    };
  }
  return { kind: "null", cell: null, isCut: false };
}

/**
 * Column names as the query wrote them. SQLite makes names of a subquery unique with `:1`, `:2`, …; the suffix is taken
 * off where the base name stands further left, unless the statement itself writes the suffixed name (`mentioned`).
 */
export function restoreNames(names: readonly string[], mentioned: (name: string) => boolean): readonly string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    const base = /^(.*):\d+$/s.exec(name)?.[1];
    const isRenamed = base !== undefined && seen.has(base.toLowerCase()) && !mentioned(name);
    const restored = isRenamed ? base : name;
    seen.add(restored.toLowerCase());
    return restored;
  });
}
