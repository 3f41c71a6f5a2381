/**
 * SQL text to tokens by SQLite's own rules (its tokenizer, state for state), so that what the gate sees is what the
 * engine will see: four kinds of quotes, comments that do not nest and may be unclosed, blobs, numbers with separators,
 * parameters with their odd suffixes, a byte order mark that counts as a blank, and U+00A0 that does not.
 * Every character of the text belongs to exactly one token. Linear in the length of the text.
 * Leaves meaning to gate.ts: a word is a `word` here, be it a keyword or a name. Pure: no I/O, no clock.
 */

/**
 * `word` is a bare keyword or name, `name` a name in "…", `…` or […], `string` a '…' literal, `illegal` what SQLite
 * would call an unrecognized token.
 */
export type TokenKind =
  | "blank"
  | "comment"
  | "word"
  | "name"
  | "string"
  | "blob"
  | "number"
  | "parameter"
  | "symbol"
  | "illegal";

export interface Token {
  readonly kind: TokenKind;
  /** Exact text, as written. */
  readonly text: string;
  /** Offset of its first UTF-16 unit in the whole text. */
  readonly start: number;
}

/** All tokens of `sql`, blanks and comments included: their texts joined give `sql` again. */
export function tokenize(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < sql.length) {
    const { kind, end } = scan(sql, at);
    tokens.push({ kind, text: sql.slice(at, end), start: at });
    at = end;
  }
  return tokens;
}

/** What a name or string token names: quotes taken off, doubled quotes made single. A word is returned as it is. */
export function unquote(token: Token): string {
  const quote = token.text[0];
  if (token.kind === "word") return token.text;
  const inner = token.text.slice(1, -1);
  if (quote === "[" || quote === undefined) return inner;
  return inner.replaceAll(quote + quote, quote);
}

interface Scanned {
  readonly kind: TokenKind;
  readonly end: number;
}

/** Two- and three-character symbols; the longest match wins. Everything else is one character. */
const LONG_SYMBOLS = ["->>", "->", "==", "<=", "<>", "<<", ">=", ">>", "!=", "||"] as const;
const SINGLE_SYMBOLS = new Set("-();+*/%=<>|,&~.");

function scan(sql: string, at: number): Scanned {
  const first = sql.charAt(at);
  if (isBlankStart(first)) return { kind: "blank", end: skipWhile(sql, at + 1, isBlankRest) };
  // A byte order mark at the start of a token is a blank, and only there; inside a word it is a letter.
  if (first === "\uFEFF") return { kind: "blank", end: at + 1 };
  if (sql.startsWith("--", at)) return { kind: "comment", end: endOfLine(sql, at) };
  // "/*" as the very last two characters is a slash and a star to SQLite, not a comment.
  if (sql.startsWith("/*", at) && at + 2 < sql.length) return { kind: "comment", end: endOfComment(sql, at) };
  if (first === "'" || first === '"' || first === "`") return scanQuoted(sql, at, first);
  if (first === "[") return scanBracketed(sql, at);
  if ((first === "x" || first === "X") && sql[at + 1] === "'") return scanBlob(sql, at);
  if (isDigit(first) || (first === "." && isDigit(sql.charAt(at + 1)))) return scanNumber(sql, at);
  if (first === "?") return { kind: "parameter", end: skipWhile(sql, at + 1, isDigit) };
  if (first === "$" || first === "@" || first === "#" || first === ":") return scanParameter(sql, at);
  if (isWordStart(first)) return { kind: "word", end: skipWhile(sql, at + 1, isWordPart) };
  for (const symbol of LONG_SYMBOLS) {
    if (sql.startsWith(symbol, at)) return { kind: "symbol", end: at + symbol.length };
  }
  return { kind: SINGLE_SYMBOLS.has(first) ? "symbol" : "illegal", end: at + 1 };
}

function endOfLine(sql: string, at: number): number {
  const newline = sql.indexOf("\n", at);
  return newline < 0 ? sql.length : newline;
}

/** An unclosed block comment runs to the end of the text, and SQLite accepts it. */
function endOfComment(sql: string, at: number): number {
  const close = sql.indexOf("*/", at + 2);
  return close < 0 ? sql.length : close + 2;
}

function scanQuoted(sql: string, at: number, quote: string): Scanned {
  let close = sql.indexOf(quote, at + 1);
  while (close >= 0 && sql[close + 1] === quote) close = sql.indexOf(quote, close + 2);
  if (close < 0) return { kind: "illegal", end: sql.length };
  return { kind: quote === "'" ? "string" : "name", end: close + 1 };
}

function scanBracketed(sql: string, at: number): Scanned {
  const close = sql.indexOf("]", at + 1);
  return close < 0 ? { kind: "illegal", end: sql.length } : { kind: "name", end: close + 1 };
}

function scanBlob(sql: string, at: number): Scanned {
  const stop = skipWhile(sql, at + 2, isHexDigit);
  if (sql[stop] === "'" && (stop - at) % 2 === 0) return { kind: "blob", end: stop + 1 };
  const close = sql.indexOf("'", stop);
  return { kind: "illegal", end: close < 0 ? sql.length : close + 1 };
}

function scanNumber(sql: string, at: number): Scanned {
  let end = at;
  const isHex = sql[at] === "0" && (sql[at + 1] === "x" || sql[at + 1] === "X") && isHexDigit(sql.charAt(at + 2));
  if (isHex) {
    end = skipDigits(sql, at + 2, isHexDigit);
  } else {
    end = skipDigits(sql, at, isDigit);
    if (sql[end] === ".") end = skipDigits(sql, end + 1, isDigit);
    if (sql[end] === "e" || sql[end] === "E") {
      const sign = sql[end + 1] === "+" || sql[end + 1] === "-" ? 1 : 0;
      if (isDigit(sql.charAt(end + 1 + sign))) end = skipDigits(sql, end + 2 + sign, isDigit);
    }
  }
  const stop = skipWhile(sql, end, isWordPart);
  return { kind: stop === end ? "number" : "illegal", end: stop };
}

/** Digits with single underscores between two of them, as SQLite takes them since 3.46. */
function skipDigits(sql: string, from: number, isPart: (char: string) => boolean): number {
  let end = from;
  while (isPart(sql.charAt(end)) || (sql[end] === "_" && isPart(sql.charAt(end - 1)) && isPart(sql.charAt(end + 1)))) {
    end += 1;
  }
  return end;
}

/** `:a`, `@a`, `$a`, `#a`, with Tcl's `::` and one `(…)` suffix. */
function scanParameter(sql: string, at: number): Scanned {
  let end = at + 1;
  let letters = 0;
  while (end < sql.length) {
    const char = sql.charAt(end);
    if (isWordPart(char)) {
      letters += 1;
      end += 1;
    } else if (char === "(" && letters > 0) {
      const close = skipWhile(sql, end + 1, (inner) => inner !== ")" && !isBlankRest(inner));
      return sql[close] === ")" ? { kind: "parameter", end: close + 1 } : { kind: "illegal", end: close };
    } else if (char === ":" && sql[end + 1] === ":") {
      end += 2;
    } else {
      break;
    }
  }
  return { kind: letters > 0 ? "parameter" : "illegal", end };
}

function skipWhile(sql: string, from: number, isPart: (char: string) => boolean): number {
  let end = from;
  while (end < sql.length && isPart(sql.charAt(end))) end += 1;
  return end;
}

function isBlankStart(char: string): boolean {
  return char === " " || char === "\n" || char === "\t" || char === "\r" || char === "\f";
}

/** A vertical tab continues a blank but does not start one. */
function isBlankRest(char: string): boolean {
  return isBlankStart(char) || char === "\v";
}

function isDigit(char: string): boolean {
  return char >= "0" && char <= "9";
}

function isHexDigit(char: string): boolean {
  return isDigit(char) || (char >= "a" && char <= "f") || (char >= "A" && char <= "F");
}

function isWordStart(char: string): boolean {
  return (char >= "a" && char <= "z") || (char >= "A" && char <= "Z") || char === "_" || char >= "\u0080";
}

function isWordPart(char: string): boolean {
  return isWordStart(char) || isDigit(char) || char === "$";
}
