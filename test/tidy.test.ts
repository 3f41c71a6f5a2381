/**
 * The repository checks itself: import directions, sizes, names, and what the house rules forbid. Each rule stands here
 * once and names the file that breaks it. Reads text only; the code is formatted, so indentation tells where a block ends.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NOT_OURS = new Set(["node_modules", "dist", "coverage", "fixtures", "package-lock.json", "LICENSE"]);

function filesUnder(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (NOT_OURS.has(entry.name) || (entry.name.startsWith(".") && entry.name !== ".ci")) return [];
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const isCode = (path: string) => /\.tsx?$/.test(path);
const SOURCES = new Map(
  filesUnder("src")
    .filter(isCode)
    .map((path) => [path, read(path)]),
);
const TESTS = new Map(
  filesUnder("test")
    .filter(isCode)
    .map((path) => [path, read(path)]),
);
const folderOf = (path: string): string => {
  const [, first = "", ...rest] = path.split("/");
  return rest.length > 0 ? first : first.replace(/\.tsx?$/, "");
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

const IMPORT = /^(?:import|export)\s+(type\s)?[^"';]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm;

function importsOf(path: string, text: string): Import[] {
  return [...text.matchAll(IMPORT)].map(([, type, ...names]) => {
    const name = names.find((candidate) => candidate !== undefined) ?? "";
    const to = name.startsWith(".") ? relative(ROOT, join(ROOT, dirname(path), name)) : name;
    return { from: path, to, isType: type !== undefined };
  });
}

const IMPORTS = [...SOURCES].flatMap(([path, text]) => importsOf(path, text));

/** Who may import whom: `all`, `types`, or types and the values of the files named. */
const DIRECTIONS: { readonly [from: string]: { readonly [to: string]: "all" | "types" | readonly string[] } } = {
  index: { config: "all", http: "all", durable: "all" },
  config: { agent: ["limits", "cycles"], models: "all", sql: "types", lib: "all" },
  // The schema and the scopes are told by `GET /v1/schema` and `/v1/caller`; queries go through a run, and so through durable/.
  http: {
    agent: ["view", "limits", "estimate"],
    durable: "types",
    deliver: "types",
    sql: ["schema", "scopes"],
    config: "all",
    lib: "all",
    web: "all",
  },
  durable: { agent: "all", tools: "all", sql: "all", models: "all", deliver: "all", config: "all", lib: "all" },
  tools: { agent: "all", sql: "all", lib: "all" },
  deliver: { agent: "types", lib: "all" },
  sql: { agent: "types", lib: "all" },
  models: { agent: "types", lib: "all" },
  agent: { lib: "all" },
  lib: {},
  // Exported transcripts are read by the functions that made them, and the contract is a file that the build writes;
  // everything else goes over HTTP.
  cli: { lib: "all", agent: ["postmortem", "replay", "replay-record"], http: ["openapi"] },
  web: { lib: "all" },
};

function isAllowed({ from, to, isType }: Import): boolean {
  const [source, target] = [folderOf(from), folderOf(to)];
  if (!to.startsWith("src/")) return source !== "agent" || to === "zod" || to.startsWith("zod/");
  if (source === target) return true;
  const rule = DIRECTIONS[source]?.[target];
  if (rule === undefined) return false;
  if (rule === "all" || isType) return true;
  return rule !== "types" && rule.some((name) => to === `src/${target}/${name}.ts`);
}

/** Every cycle that a depth-first walk over `edges` runs into. */
function cyclesIn(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
    if (done.has(path) || trail.includes(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return cycles;
}

const linesOf = (text: string): number => text.trimEnd().split("\n").length;
const over = (files: ReadonlyMap<string, string>, max: number): string[] =>
  [...files].filter(([, text]) => linesOf(text) > max).map(([path, text]) => `${path}: ${linesOf(text)} lines`);
/** Lines that match, as `path:line: text`. */
const matching = (files: Iterable<readonly [string, string]>, pattern: RegExp): string[] =>
  [...files].flatMap(([path, text]) =>
    text.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );
const inFolder = (folder: string) => [...SOURCES].filter(([path]) => path.startsWith(`src/${folder}/`));

const OPENS_FUNCTION =
  /^(\s*)(?:export )?(?:default )?(?:async )?(?:function\b.*|.*=> |(?!if|for|while|switch|else|try|catch)[#\w]+\(.*)\{$/;

/** Functions of formatted code: each ends with a brace at the indentation it began with. */
function longFunctions(path: string, text: string, max: number): string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, start) => {
    // A signature over several lines ends with `): Type {` at the indentation of its first line.
    const indent = OPENS_FUNCTION.exec(line)?.[1] ?? /^(\s*)\).*\{$/.exec(line)?.[1];
    if (indent === undefined) return [];
    const length = lines.slice(start + 1).findIndex((later) => later.startsWith(`${indent}}`)) + 2;
    return length > max ? [`${path}:${start + 1}: ${length} lines`] : [];
  });
}

const RUNTIME_EXPORT = /^export (?:default |async |const |let |function |class |abstract class )/m;

/** What the page does in a browser is tested there, view by view, by test/web/*.browser.test.ts. */
const IN_BROWSER = /^src\/web\/client\/(?:[a-z-]+\.tsx|(?:api|event-stream|hooks|router|rows-store|session)\.ts)$/;

/** Files with runtime exports and no test of their own, each with the reason. */
const UNTESTED: { readonly [path: string]: string } = {
  "src/index.ts": "wiring only; every workers test goes through it",
};

/** Tests that name what they forbid. */
const FORBIDDING = new Set(["test/tidy.test.ts", "test/readme.test.ts"]);

describe("tidy", () => {
  it("imports point one way", () => {
    const wrong = IMPORTS.filter((one) => !isAllowed(one));
    expect(wrong.map(({ from, to, isType }) => `${from} imports ${isType ? "types of " : ""}${to}`)).toEqual([]);
  });

  it("imports make no cycle, not even of types", () => {
    const edges = new Map([...SOURCES.keys()].map((path) => [path, [] as string[]]));
    for (const { from, to } of IMPORTS) edges.get(from)?.push(to);
    expect(cyclesIn(edges)).toEqual([]);
  });

  it("relative imports name a file that exists, with its ending", () => {
    const relatives = [...SOURCES, ...TESTS].flatMap(([path, text]) => importsOf(path, text));
    const wrong = relatives.filter(({ to }) => /^(src|test)\//.test(to) && !existsSync(join(ROOT, to)));
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it("C2: a vendor's SDK is loaded by one file or by none, and its types stay in src/models", () => {
    for (const [vendor, loaders] of [
      ["@anthropic-ai/sdk", ["src/models/anthropic.ts"]],
      ["openai", []],
    ] as const) {
      const importers = IMPORTS.filter(({ to }) => to === vendor || to.startsWith(`${vendor}/`));
      expect(importers.filter(({ from }) => folderOf(from) !== "models")).toEqual([]);
      const loading = new Set(importers.filter(({ isType }) => !isType).map(({ from }) => from));
      expect([vendor, [...loading]]).toEqual([vendor, loaders]);
    }
  });

  it("A3: the core has no clock, randomness, output or platform types", () => {
    const banned =
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bcrypto\.|\bconsole\.|\bD1[A-Z]\w+|\bDurableObject|\bsetTimeout\b|\bfetch\(|\bprocess\.|from "(cloudflare|node):/;
    expect(matching(inFolder("agent"), banned)).toEqual([]);
  });

  it("A10: the core has no endless loop", () => {
    expect(matching(inFolder("agent"), /while \((true|1)\)|for \(;;\)/)).toEqual([]);
  });

  it("C54: no module-level mutable binding, since isolates are shared between requests", () => {
    const inWorker = [...SOURCES].filter(([path]) => !path.startsWith("src/cli/"));
    expect(matching(inWorker, /^(export )?(let|var) /)).toEqual([]);
  });

  it("C54: no swallowed error", () => {
    const empty = /catch\s*(\([^)]*\))?\s*\{\s*\}|\.catch\(\(\w*\) => \{\s*\}\)/;
    expect([...SOURCES].filter(([, text]) => empty.test(text)).map(([path]) => path)).toEqual([]);
  });

  it("C54: at most twelve tools", () => {
    const tools = inFolder("tools").filter(([, text]) => text.includes("defineTool({"));
    expect(tools.length).toBeGreaterThan(0);
    expect(tools.length).toBeLessThanOrEqual(12);
  });

  it("files stay small", () => {
    expect([...over(SOURCES, 400), ...over(TESTS, 600)]).toEqual([]);
    const runObject = [...SOURCES].filter(([path]) => path.endsWith("durable/run-object.ts"));
    expect(over(new Map(runObject), 250)).toEqual([]);
  });

  it("functions stay under 70 lines", () => {
    expect([...SOURCES].flatMap(([path, text]) => longFunctions(path, text, 70))).toEqual([]);
  });

  it("a file exports one concept: at most eight values, no barrel, a default only where the platform asks", () => {
    const count = (text: string): number => text.match(new RegExp(RUNTIME_EXPORT, "gm"))?.length ?? 0;
    const many = [...SOURCES].filter(([, text]) => count(text) > 8);
    expect(many.map(([path, text]) => `${path}: ${count(text)} exports`)).toEqual([]);
    // The worker's entry hands the platform its handlers and classes.
    const inner = [...SOURCES].filter(([path]) => path !== "src/index.ts");
    expect(matching(inner, /^export (\*|\{.*\} from|default)/)).toEqual([]);
  });

  it("every file opens with a header, and is named in kebab-case", () => {
    expect([...SOURCES].filter(([, text]) => !text.startsWith("/**")).map(([path]) => path)).toEqual([]);
    expect([...SOURCES.keys()].filter((path) => !/\/[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/.test(path))).toEqual([]);
  });

  it("every file with something to run has its test, at the same place under test/", () => {
    const hasTest = (path: string): boolean =>
      [".test.ts", ".workers.test.ts", ".test.tsx"].some((ending) =>
        TESTS.has(path.replace(/^src/, "test").replace(/\.tsx?$/, ending)),
      );
    const missing = [...SOURCES].filter(
      ([path, text]) => RUNTIME_EXPORT.test(text) && !IN_BROWSER.test(path) && !hasTest(path),
    );
    expect(missing.map(([path]) => path).filter((path) => !(path in UNTESTED))).toEqual([]);
    expect(Object.keys(UNTESTED).filter((path) => !SOURCES.has(path) || hasTest(path))).toEqual([]);
  });

  it("no test is skipped, singled out or without an assertion", () => {
    const own = (path: string) => path !== "test/tidy.test.ts";
    const tests = [...TESTS].filter(([path]) => path.endsWith(".test.ts") && own(path));
    expect(matching(tests, /\b(it|test|describe)\.(only|skip|todo|fails)\b|(?<!")\bretry: ?[1-9]/)).toEqual([]);
    expect(tests.filter(([, text]) => !/\bexpect(TypeOf)?\(|\bassert/.test(text)).map(([path]) => path)).toEqual([]);
  });

  it("nothing is left for later, and nothing speaks of where it was made", () => {
    const everything = filesUnder(".").filter((path) => !FORBIDDING.has(path) && !/\.(png|ico|sqlite|db)$/.test(path));
    const texts = everything.map((path) => [path, read(path)] as const);
    expect(matching(texts, /\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
    expect(
      matching(texts, /\/work\/|\/tmp\/brief|\/home\/\w+\/|\/Users\/\w+\/|\bhelper-\d|claude code|co-authored-by/i),
    ).toEqual([]);
  });
});
