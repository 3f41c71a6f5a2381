import { expect, it } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import { readHead, writeHead } from "../../src/durable/head.ts";
import { migrate } from "../../src/durable/layout.ts";
import { createMemoryStorage } from "../fakes/memory-storage.ts";
import { storedRun } from "./stored-run.ts";

it("comes back whole, long or short, and leaves no part of a longer one behind", () => {
  const { sql } = createMemoryStorage();
  migrate(sql, 1);
  expect(readHead(sql)).toBe("");
  const long = "😀ü".repeat(600_000);
  for (const text of ["short", long, "x".repeat(300_001), "short again"]) {
    writeHead(sql, text);
    expect(readHead(sql) === text).toBe(true);
  }
  expect(sql.exec("SELECT count(*) AS n FROM parts").one().n).toBe(0);
  writeHead(sql, long);
  const query =
    "SELECT max(length(CAST(t AS BLOB))) AS n FROM (SELECT state AS t FROM head UNION SELECT body FROM parts)";
  expect(sql.exec(query).one().n).toBeLessThan(1_000_000);
});

it("a run whose head is megabytes long is read back, goes on, and keeps no such text in its checkpoints", async () => {
  const run = storedRun();
  await run.step();
  const state = { ...run.journal.load(), cutText: "€".repeat(900_000) };
  run.storage.transactionSync(() => writeHead(run.storage.sql, JSON.stringify(state)));
  expect(run.reopen().load()).toEqual(state);
  run.journal.save(advance(state, { kind: "extra_skipped" }, Date.now()), []);
  expect(run.reopen().load().cutText).toBeNull();
  expect(run.journal.checkpoint(1)?.cutText).toBeNull();
});
