import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { writeFact } from "../../src/durable/facts.ts";
import { BEGUN, hasRun, hasTables, MIGRATIONS, migrate } from "../../src/durable/layout.ts";
import { writeStepRow } from "../../src/durable/rows.ts";
import { createMemoryStorage, type MemoryStorage } from "../fakes/memory-storage.ts";

describe("layout", () => {
  it("looking for a run writes nothing", () => {
    const { sql, database } = createMemoryStorage();
    expect([hasTables(sql), hasRun(sql)]).toEqual([false, false]);
    expect(database.prepare("SELECT count(*) AS n FROM sqlite_master").get()).toEqual({ n: 0 });
  });

  it("tables and rows without settings are no run yet", () => {
    const { sql } = createMemoryStorage();
    migrate(sql, 1);
    writeStepRow(sql, 0, "{}", "{}");
    expect([hasTables(sql), hasRun(sql)]).toEqual([true, false]);
    writeFact(sql, "settings", "{}");
    expect(hasRun(sql)).toBe(true);
  });

  it("a run that has lost its settings is still a run, and has to say so", () => {
    const { sql } = createMemoryStorage();
    migrate(sql, 1);
    writeFact(sql, BEGUN, "1");
    expect(hasRun(sql)).toBe(true);
  });

  it("each layout is applied once, a further one on top of it, and a step back changes nothing", () => {
    const { sql } = createMemoryStorage();
    const versions = () => sql.exec("SELECT version, applied_at FROM versions ORDER BY version").toArray();
    migrate(sql, 1);
    migrate(sql, 2);
    expect(versions()).toEqual([{ version: MIGRATIONS.length + 1, applied_at: 1 }]);
    migrate(sql, 3, [...MIGRATIONS, (own) => void own.exec("ALTER TABLE steps ADD COLUMN note TEXT")]);
    migrate(sql, 4);
    expect(versions()).toHaveLength(2);
    expect(sql.exec("SELECT note FROM steps").toArray()).toEqual([]);
  });

  it("an object that has lost the note of its layout is read by the tables that it has", () => {
    for (const [script, version] of [
      ["v1-fresh.sql", 1],
      [null, MIGRATIONS.length + 1],
    ] as const) {
      const { sql, database } = createMemoryStorage();
      if (script === null) migrate(sql, 1);
      else database.exec(readFileSync(new URL(`../fixtures/layout/${script}`, import.meta.url), "utf8"));
      sql.exec("DELETE FROM versions");
      migrate(sql, 2);
      migrate(sql, 3);
      const noted = sql.exec<{ version: number }>("SELECT version FROM versions ORDER BY version").toArray();
      expect(noted.map((row) => row.version)).toEqual([...new Set([version, MIGRATIONS.length + 1])]);
      expect(sql.exec("SELECT * FROM steps").toArray()).toBeInstanceOf(Array);
    }
  });

  it("the migrations lead to the very tables of a new object", () => {
    const tables = (storage: MemoryStorage) =>
      storage.sql
        .exec(
          "SELECT m.name AS tab, c.name, c.type, c.pk FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1, c.cid",
        )
        .toArray();
    const old = createMemoryStorage();
    old.database.exec(readFileSync(new URL("../fixtures/layout/v1-fresh.sql", import.meta.url), "utf8"));
    migrate(old.sql, 2);
    const fresh = createMemoryStorage();
    migrate(fresh.sql, 2);
    expect(tables(old)).toEqual(tables(fresh));
  });
});
