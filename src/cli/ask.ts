/**
 * `npm run ask -- "question"`: the same worker as in production, embedded, asked one question from the terminal.
 *
 * Owns: the order of things and what goes where. The answer goes to standard output; progress (on a terminal only),
 * notes and errors go to standard error. Exit code: 0 answered, 1 stopped or failed, 2 a wrong call or setting,
 * 130 cancelled.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { err, ok, type Result } from "../lib/result.ts";
import { type AskCommand, parseAskArguments } from "./arguments.ts";
import { bundleWorker } from "./bundle.ts";
import { type OpenedDatabase, openDatabase } from "./database-check.ts";
import { ASK_HELP, readVersion } from "./help.ts";
import { type KeptRun, readKeptRuns, writeKeptRun } from "./kept-runs.ts";
import { type PreparedDatabase, prepareDatabase, readRecord, stateDirOf } from "./load-database.ts";
import { hearPerson } from "./person.ts";
import { INTERRUPTED_EXIT_CODE, type ProcessEnd, takeOverSignals } from "./process-end.ts";
import { openProgressScreen } from "./progress-screen.ts";
import { isTerminal, openPrompt } from "./prompt.ts";
import { exitCodeOf, lastResultOf, renderReport } from "./render.ts";
import { createRun, getResult, getRun, isWrongCall, type Refusal, type Run } from "./run-client.ts";
import { followToEnd } from "./run-session.ts";
import { messageOf } from "./sqlite-text.ts";
import { lockFolder } from "./state-lock.ts";
import { toSafeLine, toSafeText } from "./terminal-text.ts";

type Ask = Extract<AskCommand, { kind: "ask" }>;
type Show = Extract<AskCommand, { kind: "show" }>;

/** Why there is no run to show: a wrong call, or a failure. */
interface Stop {
  readonly exitCode: 1 | 2;
  readonly message: string;
}

const TERMINAL = { input: process.stdin, output: process.stderr };
/** Of a terminal that does not say. */
const WIDTH_OF_A_TERMINAL = 80;
/** A table piped on has all the room there is. */
const WIDTH_OF_A_PIPE = 10_000;

async function main(argv: readonly string[]): Promise<number> {
  const parsed = parseAskArguments(argv);
  if (!parsed.ok) return complain({ exitCode: 2, message: `${parsed.error}\nMore: npm run ask -- --help` });
  const command = parsed.value;
  if (command.kind === "help") return print(ASK_HELP);
  if (command.kind === "version") return print(`${readVersion()}\n`);

  const end = takeOverSignals();
  const opened = command.kind === "ask" ? await openFor(command, end) : await openKept(command, end);
  if (!opened.ok) return complain(opened.error);
  const { database, folder } = opened.value;
  const interrupt = new AbortController();
  end.onInterrupt(() => interrupt.abort());
  try {
    return command.kind === "ask"
      ? await answer(command, database, folder, interrupt.signal)
      : await follow(command.runId, command, database, folder, interrupt.signal);
  } finally {
    await database.host.dispose();
  }
}

interface Opened {
  readonly database: OpenedDatabase;
  /** The folder that is kept, or null. */
  readonly folder: string | null;
}

async function openFor(command: Ask, end: ProcessEnd): Promise<Result<Opened, Stop>> {
  const root = takeFolder(command.keepDir, end);
  if (!root.ok) return root;
  const [bundle, prepared] = await Promise.all([bundleWorker(), prepareDatabase(command.source, root.value)]);
  if (!prepared.ok) return err({ exitCode: 2, message: prepared.error });
  if (!bundle.ok) return err({ exitCode: 1, message: bundle.error });
  const database = await open(prepared.value, bundle.value.code);
  return database.ok ? ok({ database: database.value, folder: command.keepDir }) : database;
}

async function openKept(command: Show, end: ProcessEnd): Promise<Result<Opened, Stop>> {
  const kept = readKeptRuns(command.keepDir);
  const run = kept.find((each) => each.id === command.runId);
  const prepared = run === undefined ? null : readRecord(stateDirOf(command.keepDir, run.database));
  if (prepared === null) return err({ exitCode: 2, message: explainNoRun(command, kept) });
  const root = takeFolder(command.keepDir, end);
  if (!root.ok) return root;
  const bundle = await bundleWorker();
  if (!bundle.ok) return err({ exitCode: 1, message: bundle.error });
  const database = await open(prepared, bundle.value.code);
  return database.ok ? ok({ database: database.value, folder: command.keepDir }) : database;
}

function explainNoRun(command: Show, kept: readonly KeptRun[]): string {
  const known = kept.slice(-10).map((run) => `  ${run.id}  ${toSafeLine(run.question)}`);
  const head = `There is no run ${toSafeLine(command.runId)} in ${command.keepDir}.`;
  return known.length === 0
    ? `${head} Nothing is kept there: ask with --keep first.`
    : [`${head} Kept there:`, ...known].join("\n");
}

/** The folder for the state of this call: the kept one, locked, or one that goes away with the process. */
function takeFolder(keepDir: string | null, end: ProcessEnd): Result<string, Stop> {
  if (keepDir === null) {
    const folder = mkdtempSync(join(tmpdir(), "querent-"));
    end.onExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
    return ok(folder);
  }
  const locked = lockFolder(keepDir);
  if (!locked.ok) return err({ exitCode: 2, message: locked.error });
  end.onExit(locked.value);
  return ok(keepDir);
}

async function open(prepared: PreparedDatabase, bundle: string): Promise<Result<OpenedDatabase, Stop>> {
  const opened = await openDatabase(prepared, { bundle, env: withoutDoors(process.env) });
  if (!opened.ok) return err({ exitCode: 1, message: opened.error });
  for (const warning of opened.value.prepared.warnings) note(warning);
  if (opened.value.prepared.tables.length > 0) return opened;
  await opened.value.host.dispose();
  return err({
    exitCode: 2,
    message: `${toSafeLine(prepared.label)} has no tables, so there is nothing to ask. Name another database.`,
  });
}

/** A single question has no webhooks and no Slack: what the shell holds for those cannot get in its way. */
function withoutDoors(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:WEBHOOK|CALLBACK|SLACK)_/.test(name)));
}

async function answer(
  command: Ask,
  database: OpenedDatabase,
  folder: string | null,
  interrupt: AbortSignal,
): Promise<number> {
  const started = await startOrResume(command, database, folder);
  if (!started.ok) return complain(stopOf(started.error));
  return follow(started.value.id, command, database, folder, interrupt);
}

/** An interrupted run of the same question on the same database goes on; it is not asked and paid for again. */
async function startOrResume(
  command: Ask,
  database: OpenedDatabase,
  folder: string | null,
): Promise<Result<Run, Refusal>> {
  const { host, prepared } = database;
  if (folder !== null) {
    const unfinished = readKeptRuns(folder).filter((run) => !run.is_finished && run.database === prepared.sha256);
    const same = unfinished.findLast((run) => run.question === command.question);
    const kept = same === undefined ? null : await getRun(host, same.id);
    for (const other of unfinished) {
      if (other !== same) note(`Run ${other.id} is unfinished too (${other.question}): --run ${other.id} shows it.`);
    }
    if (kept?.ok) {
      note(`Going on with the interrupted run ${kept.value.id}.`);
      return kept;
    }
  }
  const created = await createRun(host, { ...command, mayAsk: isTerminal(TERMINAL) });
  if (created.ok && folder !== null) keep(folder, created.value, prepared);
  return created;
}

function keep(folder: string, run: Run, prepared: PreparedDatabase): void {
  writeKeptRun(folder, {
    id: run.id,
    question: run.question,
    database: prepared.sha256,
    label: prepared.label,
    is_finished: run.status === "finished",
    created_at: String(run.created_at ?? new Date().toISOString()),
  });
}

async function follow(
  id: string,
  command: Ask | Show,
  database: OpenedDatabase,
  folder: string | null,
  interrupt: AbortSignal,
): Promise<number> {
  const screen = openProgressScreen(process.stderr.isTTY && !command.isJson ? process.stderr : null);
  const prompt = openPrompt(TERMINAL, interrupt, note);
  const finished = await followToEnd(database.host, id, interrupt, async (event) => {
    screen.draw(event);
    await hearPerson(database.host, id, event, {
      ...prompt,
      async ask(text) {
        screen.hold(true);
        return prompt.ask(text).finally(() => screen.hold(false));
      },
    });
  });
  screen.close();
  if (!finished.ok) return interrupt.aborted ? INTERRUPTED_EXIT_CODE : complain(stopOf(finished.error));
  const run = finished.value;
  if (folder !== null) keep(folder, run, database.prepared);
  await report(run, command, database);
  if (folder !== null && !command.isJson) note(`Kept: npm run ask -- --keep=${folder} --run ${run.id} shows it again.`);
  return interrupt.aborted ? INTERRUPTED_EXIT_CODE : exitCodeOf(run);
}

async function report(run: Run, command: Ask | Show, database: OpenedDatabase): Promise<void> {
  if (command.isJson) {
    print(`${JSON.stringify(run, null, 2)}\n`);
    return;
  }
  const ref = lastResultOf(run);
  const result = ref === null ? null : await getResult(database.host, run.id, ref);
  print(
    renderReport(run, {
      table: result?.ok ? result.value : null,
      widthMax: process.stdout.isTTY ? process.stdout.columns || WIDTH_OF_A_TERMINAL : WIDTH_OF_A_PIPE,
      hasAnthropicKey: Boolean(process.env.ANTHROPIC_API_KEY),
    }),
  );
}

/** What the API refuses as a bad request is a wrong call of ours: flags and settings were taken over as they are. */
function stopOf(refusal: Refusal): Stop {
  return { exitCode: isWrongCall(refusal) ? 2 : 1, message: refusal.message };
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function note(text: string): void {
  process.stderr.write(`Note: ${toSafeLine(text)}\n`);
}

function complain(stop: Stop): number {
  process.stderr.write(`${toSafeText(stop.message)}\n`);
  return stop.exitCode;
}

// npm runs a script in the package's folder; a path is meant from where the person typed it.
if (process.env.npm_lifecycle_event === "ask" && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) =>
  complain({ exitCode: 1, message: `Something went wrong on our side: ${messageOf(error)}` }),
);
