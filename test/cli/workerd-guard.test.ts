import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TRIVIAL_WORKER, temporaryFolder } from "./database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** A process of its own that starts the host, prints its address and the pid of its workerd, and waits. */
const PROGRAM = `
  import { subscribe } from "node:diagnostics_channel";
  subscribe("child_process", ({ process: child }) => child.once("spawn", () => {
    if (child.spawnfile.endsWith("workerd")) console.log("pid " + child.pid);
  }));
  const { startHost } = await import(${JSON.stringify(new URL("../../src/cli/host.ts", import.meta.url).href)});
  const started = await startHost({ bundle: ${JSON.stringify(TRIVIAL_WORKER)}, stateDir: process.argv[2], env: {} });
  console.log("url " + started.value.url);
  setInterval(() => undefined, 1000);
`;

describe("workerd", () => {
  it("ends at once when the process that started it is killed outright", async () => {
    writeFileSync(join(folder.path, "program.mjs"), PROGRAM);
    const program = spawn(process.execPath, [join(folder.path, "program.mjs"), join(folder.path, "state")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    for await (const chunk of program.stdout.setEncoding("utf8")) {
      said += chunk;
      if (/url .*\n/.test(said)) break;
    }
    const pid = Number(/pid (\d+)/.exec(said)?.[1]);
    const url = String(/url (\S+)/.exec(said)?.[1]);
    expect((await fetch(url)).status).toBe(200);

    program.kill("SIGKILL");
    await once(program, "exit");
    await untilGone(pid);
    await expect(fetch(url)).rejects.toThrow();
  });
});

/** Resolves once no process answers to `pid`; a process that stays makes the test's own time limit fail it. */
async function untilGone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
      if (isZombie(pid)) return;
    } catch {
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function isZombie(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && /\) Z /.test(readFileSync(path, "utf8"));
}
