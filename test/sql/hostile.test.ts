/**
 * Layers 1 and 2 against text grown from a hostile grammar: whatever the gate accepts changes nothing, neither wrapped
 * as it would run nor bare. The engine is SQLite in memory; its state is compared after every accepted text.
 */
import type { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, it } from "vitest";
import { checkQuery } from "../../src/sql/gate.ts";
import { dump, memoryDatabase, rowsOf } from "./engine.ts";
import { hostileText } from "./hostile-grammar.ts";

const CASES = Number(process.env.HOSTILE_CASES ?? 100_000);
const SEED = Number(process.env.HOSTILE_SEED ?? 20_261_130);

/** What every change of SQLite's moves: rows, schema, settings, an open transaction. */
function stateOf(database: DatabaseSync): string {
  const [changes] = rowsOf(database, "SELECT total_changes() AS n");
  const [schema] = rowsOf(database, "PRAGMA schema_version");
  const [version] = rowsOf(database, "PRAGMA user_version");
  const [stats] = rowsOf(database, "SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'");
  return JSON.stringify([changes, schema, version, stats, database.isTransaction]);
}

function run(database: DatabaseSync, sql: string): void {
  try {
    database.exec(sql);
  } catch (error) {
    // Most of the text is no SQL at all; what matters is what it did.
    expect(error).toBeInstanceOf(Error);
  }
}

it("C20: nothing that the gate accepts of a hostile grammar changes the database", () => {
  const database = memoryDatabase();
  const before = dump(database);
  const state = stateOf(database);
  let accepted = 0;
  fc.assert(
    fc.property(hostileText, (text) => {
      const checked = checkQuery(text);
      if (!checked.ok) return;
      accepted += 1;
      run(database, `SELECT * FROM (\n${checked.value.sql}\n) LIMIT 10`);
      run(database, checked.value.sql);
      expect(stateOf(database)).toBe(state);
    }),
    { numRuns: CASES, seed: SEED },
  );
  console.log(`hostile grammar: ${CASES} cases, seed ${SEED}, ${accepted} accepted, 0 changes`);
  expect(accepted).toBeGreaterThan(CASES / 100);
  expect(dump(database)).toBe(before);
});

it("the watch sees every kind of change, so that its silence means something", () => {
  const kinds = [
    "DELETE FROM u",
    "CREATE TABLE x(a)",
    "PRAGMA user_version = 7",
    "BEGIN",
    "SELECT * FROM pragma_optimize(0x10002)",
  ];
  for (const sql of kinds) {
    const database = memoryDatabase();
    const state = stateOf(database);
    run(database, sql);
    expect(stateOf(database), sql).not.toBe(state);
  }
});
