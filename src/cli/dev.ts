/**
 * `npm run dev`: the worker on localhost, with the demo database or any other, and state that survives.
 *
 * Owns: the order of things, and telling the person where it listens and how to ask. Exit code: 0 ended with Ctrl-C,
 * 1 the worker did not start, 2 a wrong call (a taken port or a setting that is wrong is one).
 */
import { err, ok, type Result } from "../lib/result.ts";
import { type DevCommand, parseDevArguments } from "./arguments.ts";
import { buildPage } from "./build-page.ts";
import { bundleWorker } from "./bundle.ts";
import { type OpenedDatabase, openDatabase } from "./database-check.ts";
import { DEV_HELP, readVersion } from "./help.ts";
import { isPortFree } from "./host.ts";
import { prepareDatabase } from "./load-database.ts";
import { type ProcessEnd, takeOverSignals } from "./process-end.ts";
import { checkHealth, isWrongCall } from "./run-client.ts";
import { messageOf } from "./sqlite-text.ts";
import { lockFolder } from "./state-lock.ts";
import { toSafeLine, toSafeText } from "./terminal-text.ts";

type Serve = Extract<DevCommand, { kind: "serve" }>;

interface Stop {
  readonly exitCode: 1 | 2;
  readonly message: string;
}

const DEMO_QUESTION = "Which country's customers have spent the most?";

async function main(argv: readonly string[]): Promise<number> {
  const parsed = parseDevArguments(argv);
  if (!parsed.ok) return complain({ exitCode: 2, message: `${parsed.error}\nMore: npm run dev -- --help` });
  const command = parsed.value;
  if (command.kind === "help" || command.kind === "version") {
    process.stdout.write(command.kind === "help" ? DEV_HELP : `${readVersion()}\n`);
    return 0;
  }
  const end = takeOverSignals();
  const opened = await open(command, end);
  if (!opened.ok) return complain(opened.error);
  const { host } = opened.value;
  const health = await checkHealth(host);
  if (!health.ok) {
    await host.dispose();
    return complain({ exitCode: isWrongCall(health.error) ? 2 : 1, message: health.error.message });
  }
  process.stdout.write(welcome(command, opened.value));
  await new Promise<void>((resolve) => end.onInterrupt(resolve));
  await host.dispose();
  process.stdout.write(`\nStopped. The state is kept in ${command.stateDir}.\n`);
  return 0;
}

async function open(command: Serve, end: ProcessEnd): Promise<Result<OpenedDatabase, Stop>> {
  if (command.port !== 0 && !(await isPortFree(command.port))) {
    const message = `Port ${command.port} is already in use. Stop what uses it, or choose another: npm run dev -- --port ${command.port + 1}`;
    return err({ exitCode: 2, message });
  }
  const locked = lockFolder(command.stateDir);
  if (!locked.ok) return err({ exitCode: 2, message: locked.error });
  end.onExit(locked.value);
  const [bundle, page, prepared] = await Promise.all([
    bundleWorker(),
    buildPage(),
    prepareDatabase(command.source, command.stateDir),
  ]);
  if (!prepared.ok) return err({ exitCode: 2, message: prepared.error });
  if (!bundle.ok) return err({ exitCode: 1, message: bundle.error });
  if (!page.ok) return err({ exitCode: 1, message: page.error });
  const opened = await openDatabase(prepared.value, {
    bundle: bundle.value.code,
    pageDir: page.value,
    env: process.env,
    port: command.port,
    onLog: ({ level, message }) => process.stderr.write(`[${level}] ${toSafeText(message)}\n`),
  });
  if (!opened.ok) return err({ exitCode: 1, message: opened.error });
  for (const warning of opened.value.prepared.warnings) process.stderr.write(`Note: ${toSafeLine(warning)}\n`);
  return ok(opened.value);
}

function welcome(command: Serve, { host, prepared }: OpenedDatabase): string {
  const { tables } = prepared;
  const what = `${toSafeLine(prepared.label)} (${tables.length} ${tables.length === 1 ? "table" : "tables"})`;
  const question =
    command.source.kind === "demo" ? DEMO_QUESTION : `How many rows are in ${tables[0] ?? "the first table"}?`;
  const body = JSON.stringify({ question }).replaceAll("'", "'\\''");
  return `Querent serves the ${what} at ${host.url}

Open that in a browser, or ask over the API:

  curl ${host.url}/v1/runs -H 'content-type: application/json' -H 'prefer: wait=60' \\
    -d '${body}'

State is kept in ${command.stateDir}. Ctrl-C stops the server.
`;
}

function complain(stop: Stop): number {
  process.stderr.write(`${toSafeText(stop.message)}\n`);
  return stop.exitCode;
}

// npm runs a script in the package's folder; a path is meant from where the person typed it.
if (process.env.npm_lifecycle_event === "dev" && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) =>
  complain({ exitCode: 1, message: `Something went wrong on our side: ${messageOf(error)}` }),
);
