/**
 * Runs a command of the project as a person would: in a process of its own, with an environment that holds no keys.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Command {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves when standard output matches; rejects when the command ends before. */
  says(expected: RegExp): Promise<RegExpExecArray>;
  /** The exit code, or the signal that ended it. */
  ended(): Promise<number | string>;
}

export function startCommand(
  name: "ask" | "dev",
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Command {
  const program = fileURLToPath(new URL(`../../src/cli/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, ...args], {
    cwd: options.cwd,
    env: { PATH: process.env.PATH, HOME: options.cwd, TMPDIR: options.cwd, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const text = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    text.stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    text.stderr += chunk;
  });
  const closed = once(child, "close");
  return {
    child,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    says(expected) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const match = expected.exec(text.stdout);
          if (match !== null) resolve(match);
        };
        child.stdout.on("data", look);
        look();
        void closed.then(() => reject(new Error(`ended before it said ${expected}: ${text.stdout}${text.stderr}`)));
      });
    },
    async ended() {
      const [code, signal] = await closed;
      return signal ?? code;
    },
  };
}
