/** The schema as last read: when it is read again, and when not. */
import type { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import type { DatabaseConnection } from "../../src/sql/connection.ts";
import { createRetry } from "../../src/sql/retry.ts";
import { createSnapshots } from "../../src/sql/snapshot.ts";
import { connectionTo, memoryDatabase } from "./engine.ts";

const retry = createRetry(null, async () => undefined);

function counting(database: DatabaseSync) {
  const inner = connectionTo(database);
  let batches = 0;
  const connection = {
    prepare: inner.prepare.bind(inner),
    batch: (statements: D1PreparedStatement[]) => {
      batches += 1;
      return inner.batch(statements);
    },
  } as DatabaseConnection;
  return { connection, batches: () => batches };
}

it("is read once, shared by those who ask together, and again when old", async () => {
  const { connection, batches } = counting(memoryDatabase());
  let now = 0;
  const snapshots = createSnapshots({}, () => now, {});
  expect(snapshots.last()).toBeNull();
  const [first, second] = await Promise.all([
    snapshots.read(connection, retry, false),
    snapshots.read(connection, retry, false),
  ]);
  expect(second).toBe(first);
  const once = batches();
  expect(await snapshots.read(connection, retry, false)).toBe(first);
  expect(batches()).toBe(once);
  now = 300_000;
  expect(await snapshots.read(connection, retry, false)).not.toBe(first);
  expect(snapshots.last()?.readAt).toBe(300_000);
});

it("keeps the counts when it is stale but the schema is the same, and reads them again when it is not", async () => {
  const database = memoryDatabase(["CREATE TABLE a(x)"]);
  const { connection } = counting(database);
  const snapshots = createSnapshots({}, () => 0, {});
  const first = await snapshots.read(connection, retry, false);
  expect((await snapshots.read(connection, retry, true)).profile).toBe(first.profile);
  database.exec("CREATE TABLE b(x); INSERT INTO b VALUES (1)");
  const later = await snapshots.read(connection, retry, true);
  expect(later.schema.tables.map(({ name, rows }) => [name, rows])).toEqual([
    ["a", 0],
    ["b", 1],
  ]);
});

it("an error is nobody's snapshot: the next one who asks reads again", async () => {
  const database = memoryDatabase(["CREATE TABLE a(x)"]);
  const good = connectionTo(database);
  let broken = true;
  const connection = {
    prepare: good.prepare.bind(good),
    batch: (statements: D1PreparedStatement[]) =>
      broken ? Promise.reject(new Error("D1_ERROR: down")) : good.batch(statements),
  } as DatabaseConnection;
  const snapshots = createSnapshots({}, () => 0, {});
  await expect(snapshots.read(connection, retry, false)).rejects.toThrow("down");
  broken = false;
  expect((await snapshots.read(connection, retry, false)).schema.tables.length).toBe(1);
});

it("is taken over from another object of the binding while it is young and the schema the same", async () => {
  const database = memoryDatabase(["CREATE TABLE a(x)"]);
  const { connection, batches } = counting(database);
  const binding = {};
  let now = 0;
  const first = await createSnapshots({}, () => now, binding).read(connection, retry, false);
  const once = batches();
  const second = await createSnapshots({}, () => now, binding).read(connection, retry, false);
  expect(second.profile).toBe(first.profile);
  expect(batches() - once).toBe(1);

  database.exec("INSERT INTO a VALUES (1); CREATE TABLE b(x)");
  const changed = await createSnapshots({}, () => now, binding).read(connection, retry, false);
  expect(changed.schema.tables.map(({ name, rows }) => [name, rows])).toEqual([
    ["a", 1],
    ["b", 0],
  ]);
  database.exec("INSERT INTO b VALUES (1)");
  now = 60_000;
  const old = await createSnapshots({}, () => now, binding).read(connection, retry, false);
  expect(old.schema.tables[1]?.rows).toBe(1);
  expect((await createSnapshots({}, () => now, {}).read(connection, retry, false)).profile).not.toBe(old.profile);
});

it("is shared before scopes: what one caller may not see, another may", async () => {
  const { connection } = counting(memoryDatabase(["CREATE TABLE a(x)", "CREATE TABLE b(x)"]));
  const binding = {};
  const names = async (scopes: Parameters<typeof createSnapshots>[0]) =>
    (await createSnapshots(scopes, () => 0, binding).read(connection, retry, false)).schema.tables.map(
      ({ name }) => name,
    );
  expect(await names({ tables: { deny: ["a"] } })).toEqual(["b"]);
  expect(await names({})).toEqual(["a", "b"]);
});
