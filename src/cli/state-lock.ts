/**
 * Lets one process at a time use a state folder: two workerds on the same files would spoil them.
 *
 * The lock is a file that names its process. A process that was killed leaves it behind; it is taken over as soon as
 * that process is gone, which includes one that is dead and only not yet buried by its parent, and a number that by now
 * means another process.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { err, ok, type Result } from "../lib/result.ts";
import { messageOf } from "./sqlite-text.ts";

/** Takes the folder for this process; the value gives it back. */
export function lockFolder(folder: string): Result<() => void, string> {
  const path = join(folder, "lock");
  try {
    mkdirSync(folder, { recursive: true });
    if (!createLock(path)) {
      const holder = readFileSync(path, "utf8");
      if (isAlive(holder)) {
        const pid = holder.split(" ")[0];
        return err(`${folder} is in use by another ask or dev (process ${pid}). Wait for it, or name another folder.`);
      }
      rmSync(path, { force: true });
      if (!createLock(path))
        return err(`${folder} is in use by another ask or dev. Wait for it, or name another folder.`);
    }
    return ok(() => rmSync(path, { force: true }));
  } catch (error) {
    return err(`${folder} cannot be used to keep state: ${messageOf(error)}`);
  }
}

function createLock(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid} ${startOf(process.pid) ?? "unknown"}`, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function isAlive(holder: string): boolean {
  const [pidText, startedAt] = holder.split(" ");
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  if (process.platform !== "linux") return true;
  const start = startOf(pid);
  return start !== null && (startedAt === "unknown" || start === startedAt);
}

/**
 * When a process started, in the kernel's own count; null where the kernel does not say, and for a process that is dead
 * but not buried.
 */
function startOf(pid: number): string | null {
  try {
    // The name in the second field may hold blanks and brackets: count from its last bracket.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
