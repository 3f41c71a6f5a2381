/**
 * Cuts a script of SQL into its statements by the token rules of SQLite, and remembers the line that each starts on.
 *
 * Owns: where a statement ends. A `;` inside a string, a quoted name, a comment or the body of a trigger ends nothing.
 * Leaves to others: whether the text is valid SQL; SQLite says so when it runs it (sql-dump.ts).
 * Pure: no I/O, no clock.
 */

export interface SqlStatement {
  /** With its closing `;` when it has one, and with the comments before it. */
  readonly text: string;
  /** Line of its first token, counted from 1. */
  readonly line: number;
}

const BLANK = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*[\s\S]*?(?:\*/|$))`;
const LEADING_BLANKS = new RegExp(`${BLANK}*`, "y");
const TRIGGER_HEAD = new RegExp(
  `${BLANK}*(?:EXPLAIN${BLANK}+(?:QUERY${BLANK}+PLAN${BLANK}+)?)?CREATE${BLANK}+(?:TEMP(?:ORARY)?${BLANK}+)?TRIGGER\\b`,
  "iy",
);

// A doubled quote inside a string needs no rule: it reads as one string that ends and another that begins at once.
const QUOTED = String.raw`'[^']*'?|"[^"]*"?|\x60[^\x60]*\x60?|\[[^\]]*\]?|--[^\n]*|/\*[\s\S]*?(?:\*/|$)`;
const OUTSIDE_TRIGGER = new RegExp(`${QUOTED}|;`, "g");
const INSIDE_TRIGGER = new RegExp(String.raw`${QUOTED}|;|\w+|\S`, "g");

/** The statements of `script` in order. Text after the last `;` counts as one when it is more than comments. */
export function* splitStatements(script: string): Generator<SqlStatement> {
  let start = 0;
  let lineAtStart = 1;
  while (start < script.length) {
    const end = endOfStatement(script, start);
    const first = endOfBlanks(script, start);
    const line = lineAtStart + countLines(script, start, Math.min(first, end));
    if (first < end && script.slice(first, end) !== ";") yield { text: script.slice(start, end), line };
    lineAtStart += countLines(script, start, end);
    start = end;
  }
}

function endOfStatement(script: string, start: number): number {
  TRIGGER_HEAD.lastIndex = start;
  if (TRIGGER_HEAD.test(script)) return endOfTrigger(script, TRIGGER_HEAD.lastIndex);
  OUTSIDE_TRIGGER.lastIndex = start;
  for (let match = OUTSIDE_TRIGGER.exec(script); match !== null; match = OUTSIDE_TRIGGER.exec(script)) {
    if (match[0] === ";") return OUTSIDE_TRIGGER.lastIndex;
  }
  return script.length;
}

/** A trigger ends with `; END ;`: the END of a CASE never follows a semicolon. This is `sqlite3_complete`'s own rule. */
function endOfTrigger(script: string, bodyStart: number): number {
  let before: "semicolon" | "end" | "other" = "other";
  INSIDE_TRIGGER.lastIndex = bodyStart;
  for (let match = INSIDE_TRIGGER.exec(script); match !== null; match = INSIDE_TRIGGER.exec(script)) {
    const token = match[0];
    if (token.startsWith("--") || token.startsWith("/*")) continue;
    if (token === ";") {
      if (before === "end") return INSIDE_TRIGGER.lastIndex;
      before = "semicolon";
    } else {
      before = before === "semicolon" && token.toUpperCase() === "END" ? "end" : "other";
    }
  }
  return script.length;
}

function endOfBlanks(script: string, start: number): number {
  LEADING_BLANKS.lastIndex = start;
  LEADING_BLANKS.test(script);
  return LEADING_BLANKS.lastIndex;
}

function countLines(script: string, from: number, to: number): number {
  let lines = 0;
  for (let at = script.indexOf("\n", from); at !== -1 && at < to; at = script.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
