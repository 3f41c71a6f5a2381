import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import type { Message } from "../../../src/agent/model.ts";
import { createOfflineModel } from "../../../src/models/offline/model.ts";
import { CLINIC } from "./examples.ts";
import {
  ask,
  isOrdered,
  openDump,
  openFile,
  openScript,
  replyTo,
  requestFor,
  runSql,
  sameRows,
  schemaTextOf,
} from "./harness.ts";

const at = (path: string): string => new URL(path, import.meta.url).pathname;
const CORPORA = at("../../../../shared/corpora/");
const asked = (text: string): Message => ({ role: "user", text });
const model = createOfflineModel();

interface Question {
  readonly id: string;
  readonly db: string;
  readonly question: string;
  readonly gold_sql: string;
}

const QUESTIONS = readFileSync(at("../../fixtures/offline/questions.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Question);

/** The database of a name, or null where the machine has it not. */
function openNamed(name: string): DatabaseSync | null {
  if (name === "demo") {
    const folder = at("../../../migrations/");
    const files = readdirSync(folder)
      .filter((file) => file.endsWith(".sql"))
      .sort();
    return openScript(files.map((file) => readFileSync(`${folder}${file}`, "utf8")).join("\n"));
  }
  const own = at(`../../fixtures/offline/${name}.sql`);
  if (existsSync(own)) return openDump(own);
  const file = `${CORPORA}dbs/${name}.sqlite`;
  return existsSync(file) ? openFile(file) : null;
}

describe("the offline model's port", () => {
  it("costs nothing and is known as offline", () => {
    expect(model.info).toMatchObject({
      id: "offline",
      contextWindow: 1_000_000,
      maxOutputTokens: 128_000,
      priceMultiplierMax: 1,
    });
    expect(model.info.tiers).toEqual([
      { abovePromptTokens: 0, input: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 0 },
    ]);
  });

  it("its bound is never below what it counts", async () => {
    const request = requestFor(CLINIC, [asked("Wie viele Ärzte? 🩺")]);
    const counted = await model.countInputTokens(request, new AbortController().signal);
    expect(model.boundInputTokens(request)).toBeGreaterThanOrEqual(counted ?? Number.POSITIVE_INFINITY);
    const reply = await replyTo(request);
    expect(reply.usage.input).toBeLessThanOrEqual(model.boundInputTokens(request));
  });

  it("A2: a reply depends on the request alone, call ids included", async () => {
    const request = requestFor(CLINIC, [asked("How many doctors are there per department?")]);
    const reply = await replyTo(request);
    expect(await replyTo(request)).toEqual(reply);
    expect(reply.calls.map((call) => call.id)).toEqual(["off_1_1"]);
    expect(reply.content).toEqual([
      { type: "text", text: reply.text },
      { type: "tool_use", id: "off_1_1", name: "execute_read_only_sql", input: reply.calls[0]?.input },
    ]);
    expect([reply.finish, reply.hasThinking]).toEqual(["tool_use", false]);
  });

  it("an aborted signal gives no reply", async () => {
    const outcome = await model.complete(requestFor(CLINIC, [asked("How many doctors?")]), AbortSignal.abort());
    expect(outcome).toMatchObject({ kind: "aborted", unbilled: true });
  });

  it("says that there is no table of what was asked for, where only a key speaks of it", async () => {
    const schema = "table Customer (59 rows)\n  CustomerId INTEGER primary key\n  SupportRepId INTEGER";
    const reply = await replyTo(requestFor(schema, [asked("How many employees are there?")]));
    expect([reply.text, reply.finish]).toEqual(["There is no table of employees here.", "refusal"]);
  });

  it("without the query tool, and with calls forbidden, it only speaks", async () => {
    const bare = await replyTo(requestFor(CLINIC, [asked("How many doctors are there?")], []));
    expect([bare.calls, bare.finish]).toEqual([[], "refusal"]);
    const last = await replyTo(requestFor(CLINIC, [asked("How many doctors are there?")], undefined, "none"));
    expect(last.calls).toEqual([]);
    expect(last.text).not.toBe("");
  });

  it("an empty, an endless and a changing request are declined in words", async () => {
    for (const question of ["", "how many ".repeat(12_000), "Delete all doctors", "Why are fees so high?"]) {
      const reply = await replyTo(requestFor(CLINIC, [asked(question)]));
      expect([reply.calls, reply.finish]).toEqual([[], "refusal"]);
      expect(reply.text.length).toBeGreaterThan(20);
    }
  });

  it("a database without tables is said to be one", async () => {
    const reply = await replyTo(
      requestFor(
        "(The database has no tables.)",
        [asked("How many doctors are there?")],
        [{ name: "execute_read_only_sql", description: "", inputSchema: {} }],
      ),
    );
    expect(reply.text).toContain("no tables");
    expect(reply.calls).toEqual([]);
  });

  it("tries once more after an error, more plainly, and then gives up in words", async () => {
    const messages: Message[] = [asked("List all departments")];
    for (let round = 1; round <= 2; round += 1) {
      const reply = await replyTo(requestFor(CLINIC, messages));
      expect(reply.calls).toHaveLength(1);
      messages.push({ role: "assistant", content: reply.content, text: reply.text, calls: reply.calls });
      const content = JSON.stringify({
        status: "error",
        summary: "no such column",
        data: {},
        next_actions: [],
        artifacts: [],
      });
      messages.push({
        role: "tool",
        results: reply.calls.map((call) => ({ callId: call.id, content, isError: true })),
      });
    }
    const last = await replyTo(requestFor(CLINIC, messages));
    expect([last.calls, last.finish]).toEqual([[], "refusal"]);
    expect(last.text).toContain("no such column");
  });
});

describe("a picture that the question asks for", () => {
  it("is asked for with the answer, and its words are no part of the question", async () => {
    const clinic = openDump(at("../../fixtures/offline/clinic.sql"));
    const run = await ask(clinic, await schemaTextOf(clinic), "How many doctors are there as a pie chart?");
    const sent = run.replies.at(-1)?.calls[0];
    expect(sent).toMatchObject({ name: "final_answer", input: { chart: { kind: "share" } } });
    expect(run.final?.answer).not.toContain("could not place");
  });
});

describe("runs to the end", () => {
  let clinic: DatabaseSync;
  let schema: string;

  beforeAll(async () => {
    clinic = openDump(at("../../fixtures/offline/clinic.sql"));
    schema = await schemaTextOf(clinic);
  });

  it("A1: looks a name up, queries, and answers with the cells behind its figures", async () => {
    const run = await ask(clinic, schema, "How many appointments did Mara Quint have?");
    expect(run.replies.map((reply) => reply.calls.map((call) => call.name))).toEqual([
      ["execute_read_only_sql"],
      ["execute_read_only_sql"],
      ["final_answer"],
    ]);
    expect(run.text).toBe("2 appointments match.");
    expect(run.final?.citations).toMatchObject([{ figure: "2", row: 1, column: "appointment_count" }]);
  });

  it("a schema cut to a few tables is explored before it is asked", async () => {
    const cut = await schemaTextOf(clinic, 400);
    expect(cut).toContain("more tables");
    const run = await ask(clinic, cut, "How many medications are there?");
    expect(run.replies.map((reply) => reply.calls[0]?.name)).toEqual([
      "list_tables",
      "describe_tables",
      "execute_read_only_sql",
      "final_answer",
    ]);
    expect(run.text).toBe("There are 4 medications.");
  });

  it("tables described on the way are counted once", async () => {
    const run = await ask(clinic, await schemaTextOf(clinic, 400), "How many tables are there?");
    expect(run.text).toMatch(/^There are 6 tables\. /);
  });

  it("every thought says something", async () => {
    const run = await ask(clinic, schema, "Which doctor has the most appointments?");
    expect(run.replies.map((reply) => reply.text)).not.toContain("");
  });

  it("a value that is nowhere is said, not answered", async () => {
    const run = await ask(clinic, schema, "How many appointments did Zed Nobody have?");
    expect(run.text).toContain("'Zed Nobody'");
    expect(run.final).toBeNull();
  });
});

const NAMES = [...new Set(QUESTIONS.map((question) => question.db))];

describe.each(NAMES.map((name) => [name, openNamed(name)] as const).filter(([, database]) => database !== null))(
  "questions about %s",
  (name, database) => {
    const own = QUESTIONS.filter((question) => question.db === name);

    it("at least 95 of 100 give the rows of the written query", async () => {
      if (database === null) throw new Error("filtered above");
      const schema = await schemaTextOf(database);
      const wrong: string[] = [];
      for (const { question, gold_sql: gold } of own) {
        const run = await ask(database, schema, question);
        const right = run.rows !== null && sameRows(runSql(database, gold), run.rows, isOrdered(gold));
        if (!right) wrong.push(`${question}\n${run.sql ?? run.text}`);
      }
      expect(wrong.length, wrong.join("\n\n")).toBeLessThanOrEqual(Math.floor(own.length * 0.05));
    }, 300_000);
  },
);

/** Questions with every right reading written beside them, any of them right; without one, no rows answer it. */
interface NewcomerQuestion {
  readonly db: string;
  readonly question: string;
  readonly gold_sql?: string | readonly string[];
}

const NEWCOMER = ["newcomer-demo", "newcomer-second", "newcomer-third"].flatMap((name) =>
  readFileSync(at(`../../fixtures/offline/${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as NewcomerQuestion),
);

describe.each([...new Set(NEWCOMER.map(({ db }) => db))])("a newcomer's questions about %s", (name) => {
  it("are answered rightly, or it is said what was left out, or there is no answer", async () => {
    const database = openNamed(name);
    if (database === null) throw new Error(`the database ${name} is the project's own`);
    const schema = await schemaTextOf(database);
    const own = NEWCOMER.filter(({ db }) => db === name);
    const silent: string[] = [];
    let right = 0;
    for (const { question, gold_sql } of own) {
      const run = await ask(database, schema, question);
      const { rows } = run;
      const golds = gold_sql === undefined ? [] : [gold_sql].flat();
      const isRight = golds.some((gold) => rows !== null && sameRows(runSql(database, gold), rows, isOrdered(gold)));
      if (isRight) right += 1;
      else if (run.final !== null && !run.text.includes("could not place")) silent.push(`${question}\n${run.sql}`);
    }
    expect(silent.length, silent.join("\n\n")).toBe(0);
    expect(right).toBeGreaterThanOrEqual(Math.floor(own.length * 0.7));
  }, 300_000);
});
