import { describe, expect, it } from "vitest";
import { hasRun, hasTables, MIGRATIONS, migrate } from "../../src/durable/layout.ts";
import { writeFact } from "../../src/durable/rows.ts";
import { createMemoryStorage } from "../fakes/memory-storage.ts";

describe("layout", () => {
  it("looking for a run writes nothing", () => {
    const { sql, database } = createMemoryStorage();
    expect([hasTables(sql), hasRun(sql)]).toEqual([false, false]);
    expect(database.prepare("SELECT count(*) AS n FROM sqlite_master").get()).toEqual({ n: 0 });
  });

  it("tables without a head and settings are no run yet", () => {
    const { sql } = createMemoryStorage();
    migrate(sql, 1);
    expect([hasTables(sql), hasRun(sql)]).toEqual([true, false]);
    writeFact(sql, "settings", "{}");
    expect(hasRun(sql)).toBe(true);
  });

  it("C50: the checkpoints are a table whose key is the step", () => {
    const { sql } = createMemoryStorage();
    migrate(sql, 1);
    const columns = sql.exec("SELECT name, pk FROM pragma_table_info('checkpoints')").toArray();
    expect(columns).toEqual([
      { name: "step", pk: 1 },
      { name: "state", pk: 0 },
    ]);
  });

  it("each layout is applied once, a further one on top of it, and a step back changes nothing", () => {
    const { sql } = createMemoryStorage();
    const versions = () => sql.exec("SELECT version, applied_at FROM versions ORDER BY version").toArray();
    migrate(sql, 1);
    migrate(sql, 2);
    expect(versions()).toEqual([{ version: MIGRATIONS.length, applied_at: 1 }]);
    migrate(sql, 3, [...MIGRATIONS, "ALTER TABLE head ADD COLUMN note TEXT"]);
    migrate(sql, 4);
    expect(versions()).toHaveLength(2);
    expect(sql.exec("SELECT note FROM head").toArray()).toEqual([]);
  });
});
