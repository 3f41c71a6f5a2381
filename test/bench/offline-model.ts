/**
 * Measures the offline model by execution match: `node test/bench/offline-model.ts FILE.jsonl [--show] [--only TEXT]`.
 * FILE holds one question a line with `db`, `question` and `gold_sql`; databases stand in ../shared/corpora.
 */
import { existsSync, readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { ask, isOrdered, openDump, openFile, runSql, sameRows, schemaTextOf } from "../models/offline/harness.ts";

interface Question {
  readonly id?: string;
  readonly db: string;
  readonly question: string;
  readonly gold_sql: string;
}

const CORPORA = fileURLToPath(new URL("../../../shared/corpora/", import.meta.url));
const [file, ...flags] = process.argv.slice(2);
if (file === undefined || !existsSync(CORPORA)) {
  console.log("Give a file of questions; the databases must stand in ../shared/corpora.");
  process.exit(2);
}
const show = flags.includes("--show");
const all = flags.includes("--all");
const only = flags.includes("--only") ? flags[flags.indexOf("--only") + 1] : undefined;
const databases = new Map<string, { database: DatabaseSync; schema: string }>();

async function databaseOf(name: string): Promise<{ database: DatabaseSync; schema: string }> {
  const known = databases.get(name);
  if (known !== undefined) return known;
  const own = fileURLToPath(new URL(`../fixtures/offline/${name}.sql`, import.meta.url));
  const dump = existsSync(own) ? own : `${CORPORA}chinook.sql`;
  const database = name === "demo" || existsSync(own) ? openDump(dump) : openFile(`${CORPORA}dbs/${name}.sqlite`);
  const made = { database, schema: await schemaTextOf(database) };
  databases.set(name, made);
  return made;
}

const scores = new Map<string, { right: number; all: number }>();
const lines = readFileSync(file, "utf8").trim().split("\n");
for (const line of lines) {
  const question = JSON.parse(line) as Question;
  if (only !== undefined && !`${question.id ?? ""} ${question.db} ${question.question}`.includes(only)) continue;
  const { database, schema } = await databaseOf(question.db);
  let gold: ReturnType<typeof runSql>;
  try {
    gold = runSql(database, question.gold_sql);
  } catch (error) {
    console.log(`BAD GOLD ${question.question}: ${error}`);
    continue;
  }
  const asked = await ask(database, schema, question.question);
  const right = asked.rows !== null && sameRows(gold, asked.rows, isOrdered(question.gold_sql));
  const score = scores.get(question.db) ?? { right: 0, all: 0 };
  scores.set(question.db, { right: score.right + (right ? 1 : 0), all: score.all + 1 });
  if ((show && !right) || all) {
    console.log(
      `${right ? "ok  " : "MISS"} [${question.db}] ${question.question}\n  gold ${gold.rows.length}: ${question.gold_sql.replace(/\s+/g, " ")}`,
    );
    console.log(
      `  ours ${asked.rows?.rows.length ?? "-"}: ${asked.sql?.replace(/\s+/g, " ") ?? asked.text.split("\n")[0]}`,
    );
    for (const error of asked.errors) console.log(`  error ${error.replace(/\s+/g, " ").slice(0, 400)}`);
  }
}
const total = [...scores.values()].reduce(
  (sum, score) => ({ right: sum.right + score.right, all: sum.all + score.all }),
  { right: 0, all: 0 },
);
for (const [name, score] of scores) console.log(`${name}: ${score.right}/${score.all}`);
console.log(`all: ${total.right}/${total.all} (${((100 * total.right) / Math.max(1, total.all)).toFixed(1)} %)`);
