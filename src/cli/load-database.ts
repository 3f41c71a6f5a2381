/**
 * Gets the database that is to be asked into a state folder: the demo, a SQLite file, or an SQL dump.
 *
 * Each database has its own folder under `databases/`, named by the digest of its content, with the storage of the runs
 * that asked it. So a run never meets another database than its own, a second import of the same file is skipped, and a
 * file that has changed starts a new folder. A folder is built under another name and renamed when it is whole: a
 * half-finished import is never mistaken for a database.
 *
 * The database reaches workerd as a file, put where miniflare keeps its D1 databases, not as statements. That keeps what
 * statements cannot carry (dangling foreign keys, which D1 always enforces; text that is no UTF-8; exact rowids) and
 * costs no more than copying. Measured on 2 cores: northwind 5 ms, a file of 100 MB 0.5 s, most of it the check for damage.
 */
import { createHash } from "node:crypto";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { err, ok, type Result } from "../lib/result.ts";
import { fitToD1 } from "./d1-fit.ts";
import { databasePath } from "./host.ts";
import { readScript, runScript } from "./sql-dump.ts";
import { copySqliteFile, removeSqliteFile } from "./sqlite-copy.ts";
import { messageOf } from "./sqlite-text.ts";

export type DatabaseSource =
  | { readonly kind: "demo" }
  | { readonly kind: "sqlite_file"; readonly path: string }
  | { readonly kind: "sql_dump"; readonly path: string };

export interface PreparedDatabase {
  /** The folder to start the host on. */
  readonly stateDir: string;
  /** Hex digest of the content. */
  readonly sha256: string;
  /** For people: `demo database`, `shop.sqlite`. */
  readonly label: string;
  /** What D1 could not take in, one sentence each. */
  readonly warnings: readonly string[];
  /** Those that a question can reach; null until database-check.ts has asked D1 itself. */
  readonly tables: readonly string[] | null;
}

export type CheckedDatabase = PreparedDatabase & { readonly tables: readonly string[] };

/** Stored beside the database of a state folder; the version changes when an import would come out differently. */
const recordSchema = z.object({
  version: z.literal(1),
  sha256: z.string(),
  label: z.string(),
  warnings: z.array(z.string()),
  tables: z.array(z.string()).nullable().default(null),
});

const MIGRATIONS_DIR = fileURLToPath(new URL("../../migrations/", import.meta.url));
const PARTIAL_PREFIX = ".partial-";
/** Hex digits of the digest that name a folder: no two databases of one user meet, and a path stays short. */
const FOLDER_DIGITS = 16;

/** Prepares `source` in the state folder `root`. One caller at a time (state-lock.ts). */
export async function prepareDatabase(source: DatabaseSource, root: string): Promise<Result<PreparedDatabase, string>> {
  const databases = join(root, "databases");
  const partial = join(databases, `${PARTIAL_PREFIX}${process.pid}`);
  try {
    mkdirSync(databases, { recursive: true });
    for (const name of readdirSync(databases)) {
      if (name.startsWith(PARTIAL_PREFIX)) rmSync(join(databases, name), { recursive: true, force: true });
    }
    return await build(source, databases, partial);
  } catch (error) {
    // A full disk, or a schema that SQLite itself cannot work with.
    return err(`The ${labelOf(source)} cannot be loaded into ${root}: ${messageOf(error)}`);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** The folder of the database with digest `sha256` within the state folder `root`. */
export function stateDirOf(root: string, sha256: string): string {
  return join(root, "databases", folderOf(sha256));
}

/** Notes in the folder what D1 itself said, so that a kept database is not checked again. */
export function recordCheck(
  prepared: PreparedDatabase,
  warnings: readonly string[],
  tables: readonly string[],
): CheckedDatabase {
  const checked = { ...prepared, warnings, tables };
  writeRecord(checked, prepared.stateDir);
  return checked;
}

/** The prepared database whose folder is `stateDir`, or null when there is none. */
export function readRecord(stateDir: string): PreparedDatabase | null {
  if (!existsSync(databasePath(stateDir)) || !existsSync(join(stateDir, "database.json"))) return null;
  try {
    const record = recordSchema.safeParse(JSON.parse(readFileSync(join(stateDir, "database.json"), "utf8")));
    if (!record.success) return null;
    const { sha256, label, warnings, tables } = record.data;
    return { stateDir, sha256, label, warnings, tables };
  } catch {
    // Torn or foreign text: as good as no record.
    return null;
  }
}

async function build(
  source: DatabaseSource,
  databases: string,
  partial: string,
): Promise<Result<PreparedDatabase, string>> {
  const file = databasePath(partial);
  mkdirSync(dirname(file), { recursive: true });
  const digest = await putDatabase(source, file);
  if (!digest.ok) return digest;
  const sha256 = digest.value.sha256;
  const stateDir = join(databases, folderOf(sha256));
  const kept = readRecord(stateDir);
  if (kept !== null && kept.sha256 === sha256) return ok({ ...kept, label: labelOf(source) });

  const finished = digest.value.finish();
  if (!finished.ok) return finished;
  const prepared = { stateDir, sha256, label: labelOf(source), warnings: fitToD1(file), tables: null };
  writeRecord(prepared, partial);
  rmSync(stateDir, { recursive: true, force: true });
  renameSync(partial, stateDir);
  return ok(prepared);
}

function folderOf(sha256: string): string {
  return sha256.slice(0, FOLDER_DIGITS);
}

interface Digest {
  readonly sha256: string;
  /** The dear part of the import, left out when the folder is there already. */
  finish(): Result<void, string>;
}

async function putDatabase(source: DatabaseSource, file: string): Promise<Result<Digest, string>> {
  switch (source.kind) {
    case "sqlite_file": {
      const copied = await copySqliteFile(source.path, file);
      if (!copied.ok) return copied;
      return ok({ sha256: await digestOfFile(file), finish: () => ok(undefined) });
    }
    case "sql_dump": {
      const script = readScript(source.path);
      if (!script.ok) return script;
      return ok(digestOfScript(script.value, source.path, file));
    }
    case "demo": {
      return ok(digestOfScript(readMigrations(), "The demo database", file));
    }
  }
}

function digestOfScript(script: string, label: string, file: string): Digest {
  const sha256 = createHash("sha256").update("sql:").update(script).digest("hex");
  return {
    sha256,
    finish() {
      removeSqliteFile(file);
      return runScript(script, label, file);
    },
  };
}

async function digestOfFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest("hex");
}

function readMigrations(): string {
  return readdirSync(MIGRATIONS_DIR)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => readFileSync(join(MIGRATIONS_DIR, name), "utf8"))
    .join("\n");
}

function labelOf(source: DatabaseSource): string {
  return source.kind === "demo" ? "demo database" : basename(source.path);
}

function writeRecord(prepared: PreparedDatabase, folder: string): void {
  const { sha256, label, warnings, tables } = prepared;
  const target = join(folder, "database.json");
  writeFileSync(`${target}.new`, `${JSON.stringify({ version: 1, sha256, label, warnings, tables }, null, 2)}\n`);
  renameSync(`${target}.new`, target);
}
