import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { INTERRUPTED_EXIT_CODE } from "../../src/cli/process-end.ts";
import { temporaryFolder } from "./database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const MODULE = new URL("../../src/cli/process-end.ts", import.meta.url).href;
const PROGRAM = `
  import { writeFileSync } from "node:fs";
  const { takeOverSignals } = await import(${JSON.stringify(MODULE)});
  const end = takeOverSignals();
  end.onExit(() => writeFileSync(process.argv[2], "tidied"));
  if (process.argv[3] === "graceful") end.onInterrupt(() => console.log("stopping"));
  console.log("ready");
  setInterval(() => undefined, 1000);
`;

/** Starts the program, sends each signal once the one before was noticed, and gives the exit code. */
async function endWith(mode: "at_once" | "graceful", signals: readonly NodeJS.Signals[]) {
  const program = join(folder.path, "program.mjs");
  const note = join(folder.path, "note");
  writeFileSync(program, PROGRAM);
  const child = spawn(process.execPath, [program, note, mode], { stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(child, "exit");
  for (const signal of signals) {
    await once(child.stdout, "data");
    child.kill(signal);
  }
  const [code] = await exit;
  return { code, tidied: existsSync(note) };
}

describe("the end of a command", () => {
  it("Ctrl-C before there is anything to stop ends it at once, tidied", async () => {
    expect(await endWith("at_once", ["SIGINT"])).toEqual({ code: INTERRUPTED_EXIT_CODE, tidied: true });
  });

  it("the first Ctrl-C stops what goes on, the second ends it", async () => {
    expect(await endWith("graceful", ["SIGINT", "SIGINT"])).toEqual({ code: INTERRUPTED_EXIT_CODE, tidied: true });
  });

  it("other signals end it with the code that shells expect, tidied", async () => {
    expect(await endWith("graceful", ["SIGTERM"])).toEqual({ code: 143, tidied: true });
    expect(await endWith("at_once", ["SIGHUP"])).toEqual({ code: 129, tidied: true });
  });
});
