import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockFolder } from "../../src/cli/state-lock.ts";
import { temporaryFolder } from "./database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const MODULE = new URL("../../src/cli/state-lock.ts", import.meta.url).href;
/** A process of its own that takes the lock of the folder it is told, says so, and stays. */
const HOLDER = `
  const { lockFolder } = await import(${JSON.stringify(MODULE)});
  console.log(lockFolder(process.argv[2]).ok ? "held" : "refused");
  setInterval(() => undefined, 1000);
`;

describe("the lock of a state folder", () => {
  it("keeps others out while its process lives, and is taken over when it was killed", async () => {
    const state = join(folder.path, "deep", "state");
    const program = join(folder.path, "holder.mjs");
    writeFileSync(program, HOLDER);
    const holder = spawn(process.execPath, [program, state], { stdio: ["ignore", "pipe", "inherit"] });
    expect(String(await once(holder.stdout, "data"))).toContain("held");
    expect(lockFolder(state)).toEqual({
      ok: false,
      error: expect.stringContaining(`is in use by another ask or dev (process ${holder.pid})`),
    });

    holder.kill("SIGKILL");
    await once(holder, "exit");
    const locked = lockFolder(state);
    expect(locked.ok).toBe(true);
    if (locked.ok) locked.value();
    expect(lockFolder(state).ok).toBe(true);
  });

  it("is taken over when its number has come to mean another process", () => {
    writeFileSync(join(folder.path, "lock"), `${process.ppid} 1`);
    expect(lockFolder(folder.path).ok).toBe(process.platform === "linux");
  });

  it("is taken over when it names no process that ever was", () => {
    const gone = spawnSync(process.execPath, ["-e", ""]).pid;
    for (const text of [String(gone), "", "no number"]) {
      writeFileSync(join(folder.path, "lock"), text);
      expect(lockFolder(folder.path).ok).toBe(true);
    }
  });

  it("on a folder that cannot be made says so", () => {
    writeFileSync(join(folder.path, "file"), "");
    expect(lockFolder(join(folder.path, "file", "state"))).toEqual({
      ok: false,
      error: expect.stringMatching(/cannot be used to keep state/),
    });
  });
});
