/**
 * What the read-only database costs: the throughput of lexer and gate in Node, and, in workerd with local D1, the time of
 * a query bare, gated and explained, and gated with a known verdict. `npm run bench -- --part gate` prints it.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { checkQuery } from "../../src/sql/gate.ts";
import { tokenize } from "../../src/sql/lexer.ts";

const FIXTURES = new URL("../fixtures/sql/", import.meta.url);
const linesOf = (file: string): readonly string[] =>
  readFileSync(new URL(file, FIXTURES), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.replaceAll("⏎", "\n"));
const QUERIES = 300;

/** Runs inside workerd, where the clock moves with every answer of the database. */
const WORKER = `import { createDatabase } from ${JSON.stringify("./src/sql/database.ts")};
export default {
  async fetch(request, env) {
    for (const sql of await request.json()) await env.DB.prepare(sql).run();
    const database = createDatabase(env.DB, {}, { now: Date.now });
    const ask = (sql) => database.query(sql, { rowsReadMax: 1e9, signal: new AbortController().signal });
    const text = (index) => "SELECT id, v FROM big WHERE k = " + (index % 7) + " AND id > " + index + " LIMIT 20";
    const time = async (run) => {
      const startedAt = Date.now();
      for (let index = 0; index < ${QUERIES}; index += 1) await run(index);
      return (Date.now() - startedAt) / ${QUERIES};
    };
    const schemaStartedAt = Date.now();
    await database.schema();
    const schema = Date.now() - schemaStartedAt;
    await ask("SELECT 1");
    return Response.json({
      schema,
      bare: await time((index) => env.DB.prepare(text(index)).all()),
      explained: await time((index) => ask(text(index))),
      known: await time(() => ask(text(1))),
      refused: await time(() => ask("SELECT 1; DELETE FROM big")),
    });
  },
};`;

export interface GateTime {
  readonly lexer_mb_a_second: number;
  readonly gate_us_a_statement: number;
  readonly gate_ms_of_99_kb: number;
  /** Milliseconds a query on local D1. */
  readonly query_ms: { readonly [what: string]: number };
}

export async function measureGate(): Promise<GateTime> {
  return { ...measureText(), query_ms: await measureQueries() };
}

function measureText(): Omit<GateTime, "query_ms"> {
  const statements = [...linesOf("reads.txt"), ...linesOf("hostile.txt")];
  const text = statements.join("\n");
  const seconds = (run: () => unknown, times: number): number => {
    const startedAt = performance.now();
    for (let count = 0; count < times; count += 1) run();
    return (performance.now() - startedAt) / 1_000 / times;
  };
  seconds(() => statements.map(checkQuery), 20);
  const lexer = text.length / seconds(() => tokenize(text), 100) / 1e6;
  const gate = seconds(() => statements.map(checkQuery), 100) / statements.length;
  const longest = `SELECT ${"f(a, 'b', \"c\") + ".repeat(5_000)}1`.slice(0, 99_000);
  const whole = seconds(() => checkQuery(`${longest}1`), 20);
  return {
    lexer_mb_a_second: Math.round(lexer * 10) / 10,
    gate_us_a_statement: Math.round(gate * 1e7) / 10,
    gate_ms_of_99_kb: Math.round(whole * 1e4) / 10,
  };
}

async function measureQueries(): Promise<GateTime["query_ms"]> {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const bundled = await build({
    stdin: { contents: WORKER, resolveDir: root, loader: "js" },
    bundle: true,
    format: "esm",
    write: false,
    platform: "browser",
    external: ["node:*"],
    target: "es2023",
  });
  const contents = bundled.outputFiles[0]?.text ?? "";
  const miniflare = new Miniflare({
    workers: [
      {
        config: {
          name: "bench",
          compatibilityDate: "2026-10-01",
          compatibilityFlags: ["nodejs_compat"],
          manifest: { mainModule: "bench.mjs", modules: { "bench.mjs": { type: "esm", contents } } },
          env: { DB: { type: "d1", id: "bench" } },
        },
      },
    ],
  });
  try {
    const body = JSON.stringify(linesOf("database.sql"));
    const response = await miniflare.dispatchFetch("http://127.0.0.1/", { method: "POST", body });
    return (await response.json()) as Readonly<Record<string, number>>;
  } finally {
    await miniflare.dispose();
  }
}
