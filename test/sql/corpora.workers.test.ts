/**
 * The gate and everything behind it, measured on large corpora of statements from public test suites, which lie beside
 * the project on some machines and are not part of it. Reads that local D1 runs bare must be accepted and agree with
 * it row by row; hostile statements must all be refused, and leave the demo database the same to the byte.
 */
import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { tokenize, unquote } from "../../src/sql/lexer.ts";
import { keyword } from "../../src/sql/statement.ts";
import { ask, database, dumpDatabase } from "./fixture-database.ts";

interface Statement {
  readonly id: string;
  readonly sql: string;
  readonly schema?: string;
}

const FILES = import.meta.glob(
  [
    "../../../shared/corpora/sql-reads.jsonl",
    "../../../shared/corpora/sql-hostile.jsonl",
    "../../../shared/corpora/sql-reads-schemas.json",
  ],
  { query: "?raw", import: "default", eager: true },
);
const textOf = (name: string): string => Object.entries(FILES).find(([path]) => path.endsWith(`/${name}`))?.[1] ?? "";
const parseLines = (name: string): readonly Statement[] =>
  textOf(name)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Statement);
const READS = parseLines("sql-reads.jsonl");
const HOSTILE = parseLines("sql-hostile.jsonl");
const SCHEMAS = JSON.parse(textOf("sql-reads-schemas.json") || "{}") as Readonly<Record<string, string>>;

/** DDL to single statements: a semicolon ends one, but not inside a trigger. */
function splitDdl(ddl: string): readonly string[] {
  const found: string[] = [];
  let current = "";
  let depth = 0;
  for (const token of tokenize(ddl)) {
    const word = keyword(token);
    const isTrigger = /^\s*CREATE\s+(TEMP\w*\s+)?TRIGGER/i.test(current);
    if (isTrigger && (word === "BEGIN" || word === "CASE")) depth += 1;
    if (isTrigger && word === "END") depth -= 1;
    if (token.text === ";" && token.kind === "symbol" && depth === 0) {
      found.push(current);
      current = "";
    } else {
      current += token.text;
    }
  }
  return [...found, current].filter((sql) => sql.trim() !== "");
}

const RESERVED = new Set(
  "select from where and or not in is null as on join left right inner outer full cross natural using group by order having limit offset union all except intersect distinct case when then else end with recursive values between like glob exists cast collate asc desc over partition".split(
    " ",
  ),
);

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Makes up a missing table with every word of the statement for a column, and one row. */
async function makeUp(name: string, sql: string): Promise<void> {
  const words = tokenize(sql).filter((token) => token.kind === "word" || token.kind === "name");
  const names = new Set(
    words.map((token) => unquote(token).toLowerCase()).filter((word) => word !== "" && !RESERVED.has(word)),
  );
  const quoted = [...names].slice(0, 60).map(quote);
  const table = quote(name);
  await env.DB.prepare(`CREATE TABLE ${table}(${quoted.join(", ")})`).run();
  await env.DB.prepare(`INSERT INTO ${table} VALUES (${quoted.map((_, index) => index + 1).join(", ")})`).run();
}

async function dropTables(): Promise<void> {
  const listed = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'";
  const { results } = await env.DB.prepare(listed).all<{ name: string }>();
  const drops = results.map(({ name }) => env.DB.prepare(`DROP TABLE ${quote(name)}`));
  if (drops.length > 0) await env.DB.batch(drops);
}

/** What D1 itself gives, or null when it does not run the statement. */
async function runBare(read: Statement): Promise<readonly (readonly unknown[])[] | null> {
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      return await env.DB.prepare(read.sql).raw<unknown[]>({ columnNames: true });
    } catch (error) {
      const missing = /no such table: (?:main\.)?([^.]+?)(?: at offset \d+)?: SQLITE/.exec(String(error))?.[1];
      if (read.schema !== undefined || missing === undefined) return null;
      try {
        await makeUp(missing, read.sql);
      } catch {
        return null;
      }
    }
  }
  return null;
}

/** Equal, or different by a flagged conversion only. Aggregates of reals may differ in the last digits. */
function agrees(cell: unknown, bare: unknown): boolean {
  if (typeof cell === "number" && typeof bare === "number") {
    return cell === bare || Math.abs(cell - bare) <= 1e-12 * Math.max(Math.abs(cell), Math.abs(bare));
  }
  if (cell === null || typeof cell !== "object" || !("type" in cell)) return cell === bare;
  const tagged = cell as { type: string; text?: string; blob?: number };
  if (tagged.type === "integer") return Number(tagged.text) === bare;
  if (tagged.type === "real") return bare === null;
  return tagged.type === "blob" ? Array.isArray(bare) && bare.length === tagged.blob : typeof bare === "string";
}

/** Functions whose values no two runs share. */
const IS_RANDOM = /\brandom(blob)?\s*\(|'now'|current_(time|date)/i;

async function measure(
  reads: readonly Statement[],
  found: { ran: number; refused: string[]; differing: string[] },
): Promise<void> {
  const on = database();
  // Makes the tables that D1 keeps for itself, so that bare and gated runs see the same schema.
  await env.DB.withSession().prepare("SELECT 1").run();
  for (const read of reads) {
    // Without a schema the tables are made up for one statement, and go before the next.
    if (read.schema === undefined) await dropTables();
    const bare = await runBare(read);
    if (bare === null) continue;
    found.ran += 1;
    const outcome = await ask(read.sql, on);
    if (outcome.kind !== "rows") {
      found.refused.push(`${read.id} ${JSON.stringify(outcome).slice(0, 200)}`);
      continue;
    }
    const rows = bare.slice(1);
    const { columns, rows: ours } = outcome.result;
    const isSame =
      columns.length === bare[0]?.length &&
      ours.length === Math.min(rows.length, 1_000) &&
      ours.every((row, at) => row.every((cell, column) => agrees(cell, rows[at]?.[column])));
    if (!isSame && !IS_RANDOM.test(read.sql)) found.differing.push(`${read.id} ${read.sql.slice(0, 200)}`);
  }
}

describe("reads", () => {
  it.runIf(READS.length > 0)(
    "none that D1 runs is refused, and all agree with it",
    async () => {
      const groups = new Map<string, Statement[]>();
      for (const read of READS) {
        const key = read.schema ?? "";
        groups.set(key, [...(groups.get(key) ?? []), read]);
      }
      const found = { ran: 0, refused: [] as string[], differing: [] as string[] };
      for (const [key, reads] of groups) {
        await reset();
        for (const sql of splitDdl(SCHEMAS[key] ?? ""))
          await env.DB.prepare(sql)
            .run()
            .catch(() => null);
        await measure(reads, found);
      }
      console.log(
        `reads: ${READS.length} statements, ${found.ran} run bare on D1, ${found.refused.length} refused, ${found.differing.length} differ`,
      );
      expect(found.refused).toEqual([]);
      expect(found.differing).toEqual([]);
      expect(found.ran).toBeGreaterThan(READS.length * 0.9);
    },
    600_000,
  );
});

describe("hostile statements", () => {
  it.runIf(HOSTILE.length > 0)(
    "C20: all are refused before D1 is touched, and the demo database is the same to the byte",
    async () => {
      await reset();
      await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
      const before = await dumpDatabase();
      const on = database();
      const accepted: string[] = [];
      for (const { id, sql } of HOSTILE)
        if ((await ask(sql, on)).kind !== "refused") accepted.push(`${id} ${sql.slice(0, 200)}`);
      console.log(`hostile: ${HOSTILE.length} statements, ${accepted.length} accepted`);
      expect(accepted).toEqual([]);
      expect(await dumpDatabase()).toBe(before);
    },
    600_000,
  );
});
