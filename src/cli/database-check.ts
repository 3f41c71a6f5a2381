/**
 * Lets D1 itself say what it cannot read of a prepared database, once, and starts the host on it.
 *
 * Owns: taking out the object that makes D1 refuse the whole schema (a view of six UNION terms is enough), and naming
 * tables and views that open but cannot be queried. Leaves to others: what is known beforehand (d1-fit.ts).
 */
import { setTimeout as delay } from "node:timers/promises";
import { err, ok, type Result } from "../lib/result.ts";
import { databasePath, type Host, type HostOptions, type LocalDatabase, startHost } from "./host.ts";
import { type CheckedDatabase, type PreparedDatabase, recordCheck } from "./load-database.ts";
import { openCopy, removeObject } from "./sqlite-schema.ts";
import { messageOf, quoteName } from "./sqlite-text.ts";

export interface OpenedDatabase {
  readonly host: Host;
  readonly prepared: CheckedDatabase;
}

/** Each removal costs a restart of workerd (0.4 s); a schema with more faults than this is not worth asking. */
const REMOVALS_MAX = 50;
/** workerd logs why it failed a moment after it failed. */
const LOG_WAIT_MS = 50;
const LOG_WAITS_MAX = 40;
/** Queries to D1 in flight at once: it works on one at a time, and more only wait. */
const CHECKS_AT_ONCE = 16;

/** Answers nobody: what asks D1 from here stops this process meanwhile, and a worker that is asked for more would wait for it. */
const NO_WORKER = [
  'import { DurableObject } from "cloudflare:workers";',
  "export class RunObject extends DurableObject {}",
  "export class CallerObject extends DurableObject {}",
  "export default { fetch: () => new Response(null, { status: 503 }) };",
].join("\n");

/** Starts the host on `prepared`, once D1 has been asked about it. The error text is for the person who named the database. */
export async function openDatabase(
  prepared: PreparedDatabase,
  options: Omit<HostOptions, "stateDir">,
): Promise<Result<OpenedDatabase, string>> {
  const { tables } = prepared;
  const checked = tables === null ? await checkDatabase(prepared) : ok({ ...prepared, tables });
  if (!checked.ok) return checked;
  const started = await startHost({ ...options, stateDir: prepared.stateDir });
  if (!started.ok) return started;
  return ok({ host: started.value, prepared: checked.value });
}

async function checkDatabase(prepared: PreparedDatabase): Promise<Result<CheckedDatabase, string>> {
  const removed: string[] = [];
  while (removed.length <= REMOVALS_MAX) {
    const fault = { text: null as string | null };
    const started = await startHost({
      bundle: NO_WORKER,
      env: {},
      stateDir: prepared.stateDir,
      onLog({ message }) {
        if (/malformed database schema/.test(message)) fault.text = message;
      },
    });
    if (!started.ok) return started;
    const found = await readObjects(started.value, () => fault.text !== null);
    if (found.ok) {
      const { tables, warnings } = found.value;
      return ok(recordCheck(prepared, [...prepared.warnings, ...removed, ...warnings], tables));
    }
    const reason = removeFaulty(prepared, fault.text);
    if (reason === null) return err(`D1 cannot open ${prepared.label}: ${found.error}`);
    removed.push(reason);
  }
  return err(
    `D1 cannot open ${prepared.label}: more than ${REMOVALS_MAX} of its tables and views are beyond D1's limits.`,
  );
}

/** What D1 has and what of it cannot be queried, or its message when it cannot read the schema. Stops the host. */
async function readObjects(
  host: Host,
  isBlamed: () => boolean,
): Promise<Result<Pick<CheckedDatabase, "tables" | "warnings">, string>> {
  try {
    const database = await host.database();
    const objects = await listObjects(database);
    if (!objects.ok) {
      await waitFor(isBlamed);
      return objects;
    }
    const broken = await findUnreadable(database, objects.value);
    return ok({ tables: objects.value.filter((name) => !broken.has(name)), warnings: [...broken.values()] });
  } finally {
    await host.dispose();
  }
}

/** Names of all tables and views, or D1's message when it cannot read the schema. */
async function listObjects(database: LocalDatabase): Promise<Result<readonly string[], string>> {
  try {
    const listed = await database
      .prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
      )
      .all<{ name: string }>();
    return ok(listed.results.map((row) => row.name));
  } catch (error) {
    return err(messageOf(error));
  }
}

/** One sentence for each object, by its name, that D1 opens but cannot query. Nothing is read: the statement is only compiled. */
async function findUnreadable(
  database: LocalDatabase,
  objects: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const broken = new Map<string, string>();
  for (let at = 0; at < objects.length; at += CHECKS_AT_ONCE) {
    const checks = objects.slice(at, at + CHECKS_AT_ONCE).map(async (name) => {
      try {
        await database.prepare(`EXPLAIN QUERY PLAN SELECT * FROM ${quoteName(name)}`).all();
      } catch (error) {
        const reason = messageOf(error)
          .replace(/^D1_ERROR: /, "")
          .replace(/: SQLITE_\w+$/, "");
        broken.set(name, `${quoteName(name)} cannot be queried in D1 (${reason}).`);
      }
    });
    await Promise.all(checks);
  }
  return broken;
}

/** Takes out the object that D1's log blames, and says so; null when the log blames none. */
function removeFaulty(prepared: PreparedDatabase, log: string | null): string | null {
  const blamed = /malformed database schema \((.*)\) - (.*?)(?:: SQLITE_\w+)?$/m.exec(log ?? "");
  const name = blamed?.[1];
  if (name === undefined) return null;
  const database = openCopy(databasePath(prepared.stateDir));
  try {
    if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) === undefined) return null;
    removeObject(database, name);
    return `${quoteName(name)} is beyond D1's limits (${blamed?.[2]}): left out.`;
  } finally {
    database.close();
  }
}

async function waitFor(condition: () => boolean): Promise<void> {
  for (let wait = 0; wait < LOG_WAITS_MAX && !condition(); wait += 1) await delay(LOG_WAIT_MS);
}
