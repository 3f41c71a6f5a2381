/** What a query costs in round trips, and how faults of the platform are met. */
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../src/sql/database.ts";
import type { Scopes } from "../../src/sql/scopes.ts";
import { faultyD1 } from "./faulty-d1.ts";
import { ask, database, fillDatabase } from "./fixture-database.ts";

beforeAll(fillDatabase);
const lost = () => new Error("D1_ERROR: Network connection lost.");

/** As objects of one isolate have it: the very same binding. */
const over = (d1: D1Database, scopes: Scopes = {}) => createDatabase(d1, scopes, { now: () => 0 });

describe("round trips", () => {
  it("explains in one batch, runs in another that tells the names too, and runs a known statement in one", async () => {
    const { d1, calls } = faultyD1();
    const on = database({}, d1);
    await on.schema();
    calls.length = 0;
    await ask("SELECT name FROM t", on);
    expect(calls.map((texts) => texts.length)).toEqual([2, 5]);
    expect(calls[0]?.slice(0, 2)).toEqual([
      "EXPLAIN SELECT * FROM (\nSELECT name FROM t\n) LIMIT 1001",
      "EXPLAIN QUERY PLAN SELECT * FROM (\nSELECT name FROM t\n) LIMIT 1001",
    ]);
    calls.length = 0;
    await ask("SELECT name FROM t; -- again", on);
    expect(calls.map((texts) => texts.length)).toEqual([5]);
  });

  it("C18: runs a statement in one that an earlier run over the same binding has had judged", async () => {
    const { d1, calls } = faultyD1();
    const first = over(d1);
    expect(await ask("SELECT name FROM t ORDER BY name", first)).toMatchObject({ kind: "rows" });
    const second = over(d1);
    await second.schema();
    calls.length = 0;
    expect(await ask("SELECT name FROM t ORDER BY name", second)).toMatchObject({ kind: "rows" });
    expect(calls.map((texts) => texts.length)).toEqual([5]);
  });

  it("judges it anew for a caller with other scopes, who may not read it", async () => {
    const { d1 } = faultyD1();
    expect(await ask("SELECT name FROM t", over(d1))).toMatchObject({ kind: "rows" });
    expect(await ask("SELECT name FROM t", over(d1, { tables: { deny: ["t"] } }))).toMatchObject({
      kind: "refused",
      refusal: { code: "table_not_readable" },
    });
  });

  it("asks nothing of the database for what the text alone refuses", async () => {
    const { d1, calls, sessions } = faultyD1();
    await ask("DELETE FROM u", database({}, d1));
    expect([calls, sessions]).toEqual([[], []]);
  });

  it("explains a known statement again when less may be read", async () => {
    const on = database();
    expect((await ask("SELECT count(*) FROM big", on)).kind).toBe("rows");
    expect(await ask("SELECT count(*) FROM big", on, 100)).toMatchObject({
      kind: "refused",
      refusal: { code: "too_many_rows_read" },
    });
  });

  it("estimates without reading a row", async () => {
    const on = database();
    const counted = await on.foresee("SELECT count(*) FROM big");
    expect(counted).toMatchObject({ rowsRead: 5_001, tables: ["big"] });
    expect(counted.plan()).toEqual(expect.arrayContaining([expect.stringMatching(/SCAN big/)]));
    for (const sql of ["SELECT nosuch FROM big", "DELETE FROM big"]) {
      expect(await on.foresee(sql)).toMatchObject({ rowsRead: 0, tables: [] });
    }
  });
});

describe("sessions", () => {
  it("start anywhere, go on from the bookmark passed in, and else from the last one seen", async () => {
    const { d1, sessions } = faultyD1();
    const on = database({}, d1);
    const first = await ask("SELECT 1", on);
    const bookmark = first.kind === "rows" ? first.bookmark : null;
    expect(bookmark).toMatch(/./);
    await ask("SELECT 2", on);
    await on.query("SELECT 3", { rowsReadMax: 10, signal: new AbortController().signal, bookmark: "0000-given" });
    expect(sessions).toEqual(["first-unconstrained", bookmark, "0000-given"]);
  });
});

describe("faults", () => {
  it("C26: a passing fault is tried again and never told", async () => {
    // One in each of: catalog, profile, verdict, run.
    const errors = [lost(), null, null, null, null, lost(), null, null, null, lost(), null, lost()];
    const { d1 } = faultyD1({ errors });
    expect(await ask("SELECT id FROM t", database({}, d1))).toMatchObject({
      kind: "rows",
      result: { rows: [[1], [2]] },
    });
  });

  it("a lasting fault ends as one of the database, not of the query", async () => {
    const { d1 } = faultyD1({ errors: Array.from({ length: 20 }, lost) });
    expect(await ask("SELECT id FROM t", database({}, d1))).toMatchObject({
      kind: "failed",
      error: { code: "database_unreachable", transient: true },
      rowsRead: 0,
    });
  });

  it("D9: an overloaded database is asked once and called busy", async () => {
    const { d1, calls } = faultyD1({
      errors: [new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long.")],
    });
    expect(await ask("SELECT id FROM t", database({}, d1))).toMatchObject({
      kind: "failed",
      error: { code: "database_busy", message: expect.stringContaining("busy"), transient: true },
    });
    expect(calls.length).toBe(1);
  });

  it("a query lost while it ran is charged with its estimate", async () => {
    const on = faultyD1({ errors: [] });
    const shared = database({}, on.d1);
    await shared.schema();
    const timeout = new Error("D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.");
    const { d1 } = faultyD1({
      beforeBatch: async (texts) => (texts.length === 5 ? Promise.reject(timeout) : undefined),
    });
    expect(await ask("SELECT count(*) FROM big", database({}, d1))).toMatchObject({
      kind: "failed",
      error: { code: "query_too_heavy", transient: false },
      rowsRead: 5_001,
    });
  });

  it("A16, L4: a bug of ours is thrown, never told as a mistake of the query", async () => {
    const { d1 } = faultyD1({ errors: [new TypeError("x is not a function")] });
    await expect(ask("SELECT 1", database({}, d1))).rejects.toThrow(TypeError);
  });

  it("L3: an abort ends the waiting at once, and a signal that has fired asks nothing", async () => {
    const controller = new AbortController();
    const { d1, calls } = faultyD1({
      beforeBatch: async (texts) => {
        if (texts.length !== 5) return;
        controller.abort();
        await new Promise(() => undefined);
      },
    });
    const on = createDatabase(d1, {}, { now: () => 0 });
    const options = { rowsReadMax: 100_000, signal: controller.signal };
    expect(await on.query("SELECT count(*) FROM big", options)).toMatchObject({
      kind: "failed",
      error: { code: "aborted" },
      rowsRead: 5_001,
    });
    calls.length = 0;
    expect(await on.query("SELECT 1", options)).toMatchObject({
      kind: "failed",
      error: { code: "aborted" },
      rowsRead: 0,
    });
    expect(calls).toEqual([]);
  });
});
