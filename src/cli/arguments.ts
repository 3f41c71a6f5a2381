/**
 * The command lines of `ask` and `dev`.
 *
 * Owns: which flags there are and what is wrong with a call, in one clear sentence each. Leaves to others: whether a
 * file is there or a model exists. Pure: no I/O, no clock.
 */
import { parseArgs } from "node:util";
import { err, ok, type Result } from "../lib/result.ts";
import type { DatabaseSource } from "./load-database.ts";

export type AskCommand =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | {
      readonly kind: "ask";
      readonly question: string;
      readonly source: DatabaseSource;
      readonly model: string | null;
      readonly budgetUsd: number | null;
      readonly maxSteps: number | null;
      /** Rows above which a query waits for a yes, or null for none. */
      readonly approveAboveRows: number | null;
      /** Folder whose state survives, or null for one that goes away. */
      readonly keepDir: string | null;
      readonly isJson: boolean;
    }
  /** Look at a kept run again. */
  | { readonly kind: "show"; readonly runId: string; readonly keepDir: string; readonly isJson: boolean };

export type DevCommand =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "serve"; readonly source: DatabaseSource; readonly port: number; readonly stateDir: string };

export const KEEP_DIR_DEFAULT = ".querent/ask";
const STATE_DIR_DEFAULT = ".querent/dev";
/** wrangler's own, so that what is written about one works with the other. */
const PORT_DEFAULT = 8787;

const ASK_FLAGS = {
  db: "FILE",
  sql: "FILE",
  model: "ID",
  budget: "USD",
  "max-steps": "N",
  "approve-above": "ROWS",
  keep: "DIR",
  run: "ID",
  json: null,
  help: null,
  version: null,
} as const;

const DEV_FLAGS = { port: "N", db: "FILE", sql: "FILE", state: "DIR", help: null, version: null } as const;

export function parseAskArguments(argv: readonly string[]): Result<AskCommand, string> {
  const parsed = parseFlags(joinKeepDir(argv), ASK_FLAGS);
  if (!parsed.ok) return parsed;
  const { given, words } = parsed.value;
  if (given.has("help")) return ok({ kind: "help" });
  if (given.has("version")) return ok({ kind: "version" });

  const source = parseSource(given);
  if (!source.ok) return source;
  const isJson = given.has("json");
  const keep = given.get("keep");
  const keepDir = keep === undefined ? null : keep || KEEP_DIR_DEFAULT;
  const question = words.join(" ").trim();
  const runId = given.get("run");
  if (runId !== undefined) {
    if (question !== "") return err("--run shows a kept run, so it takes no question. Leave one of the two out.");
    return ok({ kind: "show", runId, keepDir: keepDir ?? KEEP_DIR_DEFAULT, isJson });
  }
  if (question === "")
    return err('No question given. Example: npm run ask -- "Which country\'s customers have spent the most?"');

  const budgetUsd = parseAmount(given.get("budget"));
  if (!budgetUsd.ok) return budgetUsd;
  const maxSteps = parseCount(given.get("max-steps"));
  if (!maxSteps.ok) return maxSteps;
  const approveAbove = parseRows(given.get("approve-above"));
  if (!approveAbove.ok) return approveAbove;
  return ok({
    kind: "ask",
    question,
    source: source.value,
    model: given.get("model") ?? null,
    budgetUsd: budgetUsd.value,
    maxSteps: maxSteps.value,
    approveAboveRows: approveAbove.value,
    keepDir,
    isJson,
  });
}

export function parseDevArguments(argv: readonly string[]): Result<DevCommand, string> {
  const parsed = parseFlags(argv, DEV_FLAGS);
  if (!parsed.ok) return parsed;
  const { given, words } = parsed.value;
  if (given.has("help")) return ok({ kind: "help" });
  if (given.has("version")) return ok({ kind: "version" });
  if (words.length > 0) return err(`dev takes no question: "${words.join(" ")}". Ask with npm run ask, or over HTTP.`);
  const source = parseSource(given);
  if (!source.ok) return source;
  const port = given.get("port") ?? String(PORT_DEFAULT);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    return err(`--port must be a whole number from 0 (any free port) to 65535, not "${port}".`);
  }
  return ok({
    kind: "serve",
    source: source.value,
    port: Number(port),
    stateDir: given.get("state") ?? STATE_DIR_DEFAULT,
  });
}

/** Flag names to the placeholder of their value, or null for a flag that takes none. */
type Flags = Readonly<Record<string, string | null>>;

interface Parsed {
  readonly given: ReadonlyMap<string, string>;
  readonly words: readonly string[];
}

function parseFlags(argv: readonly string[], flags: Flags): Result<Parsed, string> {
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(flags).map(([name, value]) => [name, { type: value === null ? "boolean" : "string" }] as const),
    ),
    // Every rule is checked below: the built-in messages are about the parser, not about the call.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const name = token.name === "h" ? "help" : token.name;
    const placeholder = flags[name];
    if (placeholder === undefined) return err(explainUnknown(token.rawName, flags));
    if (given.has(name)) return err(`--${name} is given twice.`);
    if (placeholder === null) {
      if (token.value !== undefined) return err(`--${name} takes no value.`);
      given.set(name, "");
    } else {
      // A flag where a value should be means that the value was forgotten; a negative number is one, if a wrong one.
      const isFlag = !token.inlineValue && token.value !== undefined && /^-(?!\d)./.test(token.value);
      if (token.value === undefined || isFlag || (token.value === "" && name !== "keep")) {
        return err(`--${name} needs a value: --${name} ${placeholder}.`);
      }
      given.set(name, token.value);
    }
  }
  return ok({ given, words });
}

function explainUnknown(rawName: string, flags: Flags): string {
  return `There is no flag ${rawName}. Flags: ${Object.keys(flags)
    .map((name) => `--${name}`)
    .join(", ")}. A question that starts with a dash goes after --.`;
}

/**
 * `--keep` takes a folder or nothing, which the parser cannot express. The word after it is the folder when it looks
 * like a path, or when a quoted question stands elsewhere on the line; `--keep=DIR` always works.
 */
function joinKeepDir(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf("--keep");
  const end = argv.indexOf("--");
  if (at === -1 || (end !== -1 && end < at)) return argv;
  const next = argv[at + 1];
  const others = argv.filter((_word, index) => index !== at + 1);
  const isDir =
    next !== undefined &&
    !/\s/.test(next) &&
    !next.startsWith("-") &&
    (/[/\\]|^[.~]/.test(next) ||
      others.some((word) => /\s/.test(word) && !word.startsWith("-")) ||
      others.includes("--run"));
  return isDir ? argv.toSpliced(at, 2, `--keep=${next}`) : argv.toSpliced(at, 1, "--keep=");
}

function parseSource(given: ReadonlyMap<string, string>): Result<DatabaseSource, string> {
  const file = given.get("db");
  const dump = given.get("sql");
  if (file !== undefined && dump !== undefined)
    return err("--db and --sql each name a database to ask. Give one of them.");
  if (file !== undefined) return ok({ kind: "sqlite_file", path: file });
  return ok(dump === undefined ? { kind: "demo" } : { kind: "sql_dump", path: dump });
}

function parseAmount(text: string | undefined): Result<number | null, string> {
  if (text === undefined) return ok(null);
  const amount = /^\$?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text.replace("$", "")) : Number.NaN;
  if (!(amount > 0)) return err(`--budget must be an amount of dollars above 0, such as 0.25, not "${text}".`);
  return ok(amount);
}

function parseCount(text: string | undefined): Result<number | null, string> {
  if (text === undefined) return ok(null);
  if (!/^[1-9]\d{0,8}$/.test(text)) return err(`--max-steps must be a whole number above 0, not "${text}".`);
  return ok(Number(text));
}

function parseRows(text: string | undefined): Result<number | null, string> {
  if (text === undefined) return ok(null);
  if (!/^\d{1,15}$/.test(text)) return err(`--approve-above must be a whole number of rows, 0 or more, not "${text}".`);
  return ok(Number(text));
}
