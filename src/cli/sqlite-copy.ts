/**
 * Takes a private copy of a SQLite file that a person named. The file itself, its `-wal`, `-shm` and `-journal` are
 * only ever read: no lock file is made beside it, no recovery runs on it, nothing is checkpointed into it.
 *
 * Owns: everything that can be wrong with the named file, each with a message that says what to do; what was committed
 * but still sits in a write-ahead log is part of the copy. Leaves to others: fitting the copy to D1 (d1-fit.ts).
 */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { err, ok, type Result } from "../lib/result.ts";
import { isSqliteBusy, messageOf } from "./sqlite-text.ts";

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
/** Byte 18 of the header is 2 when the file is in write-ahead-log mode. */
const WRITE_VERSION_AT = 18;
/** How long another program's short commit may hold the file before we call it locked. */
const LOCK_WAIT_MS = 2_000;
/** A copy during which the file changed is taken again; a writer that never rests needs to be stopped. */
const COPY_ATTEMPTS_MAX = 5;

/** Copies `source` to `target`, which must not exist, and leaves there one whole file in rollback-journal mode. */
export async function copySqliteFile(
  source: string,
  target: string,
  lockWaitMs: number = LOCK_WAIT_MS,
): Promise<Result<void, string>> {
  const checked = checkFile(source);
  if (!checked.ok) return checked;
  // SQLite keeps its side files beside the file itself, not beside a link to it.
  const file = realpathSync(source);
  for (let attempt = 1; attempt <= COPY_ATTEMPTS_MAX; attempt += 1) {
    removeSqliteFile(target);
    const before = fingerprint(file);
    const copied = copyUnderLock(source, file, target, checked.value.isWal ? null : lockWaitMs);
    if (!copied.ok) return copied;
    if (fingerprint(file) === before) return checked.value.isEmpty ? ok(undefined) : settleCopy(source, target);
    await delay(100 * attempt);
  }
  removeSqliteFile(target);
  return err(
    `${source} is being written to all the time, so no consistent copy could be taken. Stop the program that writes to it, or ask a backup: sqlite3 ${source} ".backup copy.sqlite"`,
  );
}

/** Removes a database file with everything SQLite keeps beside it. */
export function removeSqliteFile(path: string): void {
  for (const suffix of ["", ...SIDE_FILES]) rmSync(path + suffix, { force: true });
}

const SIDE_FILES = ["-wal", "-journal", "-shm"];

interface FileKind {
  readonly isEmpty: boolean;
  readonly isWal: boolean;
}

function checkFile(source: string): Result<FileKind, string> {
  let stats: Stats;
  let header: Buffer;
  try {
    stats = statSync(source);
    if (stats.isDirectory()) return err(`${source} is a directory. Name the SQLite file in it.`);
    if (!stats.isFile()) return err(`${source} is not a regular file. Name a SQLite file.`);
    header = readHeader(source);
  } catch (error) {
    return err(explainAccess(source, error));
  }
  // SQLite itself reads a file of no bytes as a database with no tables.
  if (stats.size === 0) return ok({ isEmpty: true, isWal: false });
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) return err(explainForeign(source, header));
  if (stats.size < 512)
    return err(`${source} is cut short: ${stats.size} bytes are less than one page. Get a whole copy.`);
  return ok({ isEmpty: false, isWal: header[WRITE_VERSION_AT] === 2 });
}

function readHeader(source: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(source, "r");
  try {
    return header.subarray(0, readSync(descriptor, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

function explainAccess(source: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return `There is no file ${source}. Check the path; a relative one starts at ${process.cwd()}.`;
  }
  if (code === "EACCES" || code === "EPERM")
    return `${source} may not be read by this user. Change its permissions, or copy it.`;
  if (code === "EBUSY") return explainLocked(source);
  return `${source} cannot be read: ${messageOf(error)}`;
}

function explainForeign(source: string, header: Buffer): string {
  if (header[0] === 0x1f && header[1] === 0x8b) return `${source} is compressed (gzip). Unpack it first.`;
  if (header.toString("latin1", 0, 2) === "PK") return `${source} is a zip archive. Unpack it first.`;
  const text = header.toString("utf8");
  if (/^\s*(?:--|\/\*|PRAGMA|BEGIN|CREATE|INSERT|DROP)/i.test(text)) {
    return `${source} is SQL text, not a SQLite file. Give it with --sql instead of --db.`;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: bytes that no text file has are the sign looked for.
  if (/[\x00-\x08\x0e-\x1f\ufffd]/.test(text)) {
    return `${source} is not a SQLite file, or it is encrypted. Only a plain SQLite 3 file can be asked; decrypt it first (SQLCipher: sqlcipher_export).`;
  }
  return `${source} is not a SQLite file. Only SQLite 3 files (--db) and SQL dumps (--sql) can be asked.`;
}

function explainLocked(source: string): string {
  return `${source} is locked: another program is writing to it. Let it finish or close it, then ask again; or ask a copy of the file.`;
}

/** Tells whether anything was written to the database between two calls. */
function fingerprint(file: string): string {
  return ["", "-wal", "-journal"]
    .map((suffix) => {
      const stats = statSync(file + suffix, { throwIfNoEntry: false });
      return stats === undefined ? "none" : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
    })
    .join(" ");
}

/**
 * `lockWaitMs` is null for a file in write-ahead-log mode: a reader of such a file is never kept out, and opening it
 * would write beside it, so it is copied as it is.
 */
function copyUnderLock(source: string, file: string, target: string, lockWaitMs: number | null): Result<void, string> {
  const lock = lockWaitMs === null ? ok(null) : lockShared(source, file, lockWaitMs);
  if (!lock.ok) return lock;
  try {
    // Side files first: a commit in between can then only make the copy older, and the fingerprint tells.
    for (const suffix of ["-wal", "-journal", ""]) {
      if (suffix === "" || existsSync(file + suffix)) {
        copyFileSync(file + suffix, target + suffix);
        chmodSync(target + suffix, 0o600);
      }
    }
    return ok(undefined);
  } catch (error) {
    return err(explainAccess(source, error));
  } finally {
    lock.value?.close();
  }
}

/**
 * Holds SQLite's shared lock, which keeps a commit from landing in the middle of the copy. Returns no lock when SQLite
 * will not read the file as it is (a crashed writer's journal waits to be played back): the copy sorts that out.
 */
function lockShared(source: string, file: string, waitMs: number): Result<DatabaseSync | null, string> {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: waitMs });
    database.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    return ok(database);
  } catch (error) {
    database?.close();
    return isSqliteBusy(error) ? err(explainLocked(source)) : ok(null);
  }
}

/** Folds the log or journal into the copy, and finds out whether it is a sound database at all. */
function settleCopy(source: string, target: string): Result<void, string> {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(target, { enableForeignKeyConstraints: false });
    database.exec("PRAGMA journal_mode = DELETE; PRAGMA ignore_check_constraints = ON");
    const damage = findDamage(database);
    return damage === null ? ok(undefined) : err(explainDamage(source, damage));
  } catch (error) {
    return err(explainDamage(source, messageOf(error)));
  } finally {
    database?.close();
  }
}

// Lines of quick_check about rows that break a constraint: the file is sound and can be asked all the same.
const UNTIDY_ROWS =
  /^(?:ok$|NULL value in |CHECK constraint failed |NUMERIC value in |TEXT value in |non-\w+ value in |unable to validate )/;

function findDamage(database: DatabaseSync): string | null {
  const lines = database.prepare("PRAGMA quick_check(20)").all();
  for (const line of lines) {
    const text = String(line.quick_check);
    if (!UNTIDY_ROWS.test(text)) return text.replaceAll(/\s+/g, " ");
  }
  return null;
}

function explainDamage(source: string, damage: string): string {
  return `${source} is damaged or encrypted (${damage}). Try to recover it first: sqlite3 ${source} .recover | sqlite3 recovered.sqlite`;
}
