/** Runs that the first layout stored: every fixture is read as it was, and goes on. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import { openJournal } from "../../src/durable/journal.ts";
import { createMemoryStorage, type MemoryStorage } from "../fakes/memory-storage.ts";

const FOLDER = new URL("../fixtures/layout/", import.meta.url);
const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".sql"))
  .map((name) => name.slice(0, -".sql".length));

function stored(name: string): MemoryStorage {
  const storage = createMemoryStorage();
  storage.database.exec(readFileSync(new URL(`${name}.sql`, FOLDER), "utf8"));
  return storage;
}

function open(storage: MemoryStorage) {
  const journal = openJournal(storage, "run_1", Date.now(), () => undefined);
  if (journal === null) throw new Error("the run is there");
  return journal;
}

describe("a run of layout 1", () => {
  it.each(names)("C50: %s reads as it was, its checkpoints too", (name) => {
    const journal = open(stored(name));
    const seen = {
      state: journal.load(),
      checkpoints: journal.checkpoints().map(({ state }) => state),
      messages: journal.messages(),
      events: journal.events(),
      results: journal.results().map((result) => ({ ...result })),
      pinned: journal.pinned(),
      settings: journal.settings,
    };
    // Fields that came later have their defaults.
    expect(seen).toMatchObject(JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf8")));
  });

  it.each(names.filter((name) => !/answered|stopped/.test(name)))("%s is carried once, and goes on", (name) => {
    const storage = stored(name);
    const journal = open(storage);
    journal.save(advance(journal.load(), { kind: "cancelled", partial: null }, Date.now()), []);
    const again = open(storage);
    expect(again.load()).toEqual(journal.load());
    expect(again.events().at(-1)?.type).toBe("run_finished");
    const tables = storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").toArray();
    expect(tables).toEqual(["facts", "parts", "steps", "versions"].map((table) => ({ name: table })));
  });

  it("C52: with a head that cannot be read ends as failed, and keeps what its events say was spent", () => {
    const storage = stored("v1-asking");
    const spent = open(stored("v1-asking")).load();
    storage.sql.exec("UPDATE head SET state = '{'");
    const state = open(storage).load();
    expect(state.ending).toMatchObject({ outcome: "failed", stopReason: "error" });
    expect(state.usage.costNanoUsd).toBe(spent.usage.costNanoUsd + (spent.attempt?.reservedNanoUsd ?? 0));
  });

  it("C52: with a message that is gone ends as failed", () => {
    const storage = stored("v1-between-steps");
    storage.sql.exec("DELETE FROM messages WHERE number = 2");
    expect(open(storage).load().ending?.message).toContain("message 3 of 5");
  });

  it("with texts in several parts reads them whole", () => {
    const storage = stored("v1-fresh");
    const text = JSON.stringify({ role: "user", text: "x".repeat(10) });
    storage.sql.exec("UPDATE messages SET parts = 2, body = ? WHERE number = 0", text.slice(0, 20));
    storage.sql.exec("INSERT INTO parts (kind, number, part, body) VALUES ('messages', 0, 1, ?)", text.slice(20));
    expect(open(storage).messages()).toEqual([{ role: "user", text: "x".repeat(10) }]);
  });
});
