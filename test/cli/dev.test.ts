import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startCommand } from "./command.ts";
import { createDatabase, temporaryFolder } from "./database-fixtures.ts";

/** A whole process with its own workerd starts and ends in each of these tests. */
const TIMEOUT_MS = 60_000;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const dev = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  startCommand("dev", args, { cwd: folder.path, env });

/** What the printed curl line asks for. */
async function sendPrinted(printed: string): Promise<Response> {
  const url = /curl (\S+)/.exec(printed)?.[1] ?? "";
  const body = /-d '(.*)'/.exec(printed)?.[1]?.replaceAll("'\\''", "'") ?? "";
  const headers = Object.fromEntries(
    [...printed.matchAll(/-H '([^:]+): ([^']+)'/g)].map((match) => [match[1], match[2]]),
  );
  return await fetch(url, { method: "POST", body, headers });
}

describe("npm run dev", () => {
  it("serves the API without a key, its printed line works, and its state survives a restart", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const first = dev(["--port", "0", "--state", "state"]);
    await first.says(/Ctrl-C/);
    expect(first.stdout()).toMatch(/^Querent serves the demo database \(11 tables\) at http:\/\/127\.0\.0\.1:\d+\n/);
    const answered = await sendPrinted(first.stdout());
    expect(answered.status).toBe(200);
    const run: unknown = await answered.json();
    expect(run).toMatchObject({ status: "finished", outcome: "answered" });
    first.child.kill("SIGINT");
    expect(await first.ended()).toBe(0);
    expect(first.stdout()).toContain("Stopped. The state is kept in state.");

    const second = dev(["--port", "0", "--state", "state"]);
    const [, url] = await second.says(/at (http:\S+)[\s\S]*Ctrl-C/);
    const kept = await fetch(`${url}/v1/runs/${(run as { id: string }).id}`);
    expect(await kept.json()).toMatchObject({ outcome: "answered" });
    second.child.kill("SIGTERM");
    expect(await second.ended()).toBe(143);
  });

  it("serves any file, and a folder to one process at a time", { timeout: TIMEOUT_MS }, async () => {
    createDatabase(join(folder.path, "shop.db"), [
      "CREATE TABLE item (name TEXT)",
      "INSERT INTO item VALUES ('a'), ('b')",
    ]);
    const first = dev(["--port", "0", "--db", "shop.db"]);
    await first.says(/Querent serves the shop\.db \(1 table\) at/);
    await first.says(/Ctrl-C/);
    expect(await (await sendPrinted(first.stdout())).json()).toMatchObject({ outcome: "answered", n_queries: 1 });

    const second = dev(["--port", "0", "--db", "shop.db"]);
    expect(await second.ended()).toBe(2);
    expect(second.stderr()).toContain(`.querent/dev is in use by another ask or dev (process ${first.child.pid})`);
    first.child.kill("SIGINT");
    expect(await first.ended()).toBe(0);
  });

  it("a taken port and a setting that does not make sense are said", { timeout: TIMEOUT_MS }, async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => {
        const address = taken.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
    const command = dev(["--port", String(port)]);
    expect(await command.ended()).toBe(2);
    expect(command.stderr()).toMatch(
      new RegExp(`^Port ${port} is already in use\\. .* npm run dev -- --port ${port + 1}\n$`),
    );
    taken.close();

    const unset = dev(["--port", "0"], { QUERENT_MODEL: "claude-sonnet-5-5" });
    expect(await unset.ended()).toBe(2);
    expect(unset.stderr()).toContain("QUERENT_MODEL is claude-sonnet-5-5, which needs ANTHROPIC_API_KEY");
  });
});
