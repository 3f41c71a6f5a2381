/**
 * Makes workerd end with this process, however this process ends. Killed outright (`kill -9`, out of memory), it would
 * leave workerd behind as an orphan that goes on with the runs and keeps the state folder's databases open under the
 * next `ask`.
 *
 * The guard is a shell that waits on a pipe from us: the system closes the pipe when we are gone, and the shell then
 * kills workerd. Miniflare also starts workerd anew after a crash, so every one it starts gets a guard of its own.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";

let isWatching = false;

/** Guards every workerd that this process starts from now on. May be called again. */
export function guardWorkerd(): void {
  // Without a POSIX shell there is no guard: an orphan then has to be ended by hand.
  if (isWatching || process.platform === "win32") return;
  isWatching = true;
  subscribe("child_process", (message) => {
    const child = childOf(message);
    child?.once("spawn", () => {
      if (/\bworkerd$/.test(child.spawnfile)) startGuard(child);
    });
  });
}

function startGuard(workerd: ChildProcess): void {
  const guard = spawn("/bin/sh", ["-c", 'read -r _line; kill -9 "$0" 2>/dev/null', String(workerd.pid)], {
    // A session of its own: Ctrl-C on the terminal must not end the guard before us.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.once("error", () => undefined);
  guard.unref();
  // Ends before the number of its process can mean another one.
  workerd.once("exit", () => guard.kill("SIGKILL"));
}

function childOf(message: unknown): ChildProcess | null {
  if (typeof message !== "object" || message === null || !("process" in message)) return null;
  return isChildProcess(message.process) ? message.process : null;
}

function isChildProcess(value: unknown): value is ChildProcess {
  return typeof value === "object" && value !== null && "spawnfile" in value && "once" in value;
}
