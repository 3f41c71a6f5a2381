/** The fixtures in workerd: statements as data, and D1 filled with their database. */
import { env } from "cloudflare:workers";
import { createDatabase, type Database, type QueryOutcome } from "../../src/sql/database.ts";
import type { Scopes } from "../../src/sql/scopes.ts";

const STAND_INS: Readonly<Record<string, string>> = { "⏎": "\n", "⇥": "\t", "␀": "\0", "␣": "\u00a0" };

const FILES = import.meta.glob("../fixtures/sql/*", { query: "?raw", import: "default", eager: true });

function statements(file: string): readonly string[] {
  const lines = (FILES[`../fixtures/sql/${file}`] ?? "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => line.replace(/[⏎⇥␀␣]/g, (char) => STAND_INS[char] ?? char));
}

export const READS = statements("reads.txt");
export const HOSTILE = statements("hostile.txt");
export const ENGINE = statements("engine.txt");

export async function runAll(sqls: readonly string[]): Promise<void> {
  for (const sql of sqls) await env.DB.prepare(sql).run();
}

export async function fillDatabase(): Promise<void> {
  await runAll(statements("database.sql"));
}

export function database(scopes: Scopes = {}, d1: D1Database = env.DB): Database {
  return createDatabase(ownBinding(d1), scopes, { now: () => 0, sleep: async () => undefined });
}

/** What is read over one binding is shared for a minute: tests that make the database anew each have a binding of their own. */
function ownBinding(d1: D1Database): D1Database {
  return {
    prepare: (sql) => d1.prepare(sql),
    batch: (statements) => d1.batch(statements),
    exec: (sql) => d1.exec(sql),
    withSession: (bookmark) => d1.withSession(bookmark),
    dump: () => d1.dump(),
  } as D1Database;
}

/** Asks once, with room for millions of rows. */
export function ask(sql: string, on: Database = database(), rowsReadMax = 5_000_000): Promise<QueryOutcome> {
  return on.query(sql, { rowsReadMax, signal: new AbortController().signal });
}

/** The rows of a query that must succeed. */
export async function rowsOf(sql: string, on: Database = database()): Promise<readonly unknown[]> {
  const outcome = await ask(sql, on);
  if (outcome.kind !== "rows") throw new Error(JSON.stringify(outcome));
  return outcome.result.rows;
}

/** Everything in the database as one text: equal texts, equal databases. */
export async function dumpDatabase(): Promise<string> {
  const { results: objects } = await env.DB.prepare(
    "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY name",
  ).all<{ type: string; name: string; sql: string | null }>();
  const tables = objects.filter(({ type, sql }) => type === "table" && sql !== null && !/VIRTUAL/i.test(sql));
  const rows: unknown[] = [];
  for (const { name } of tables)
    rows.push(name, await env.DB.prepare(`SELECT * FROM "${name.replaceAll('"', '""')}"`).raw());
  return JSON.stringify([objects, rows]);
}
