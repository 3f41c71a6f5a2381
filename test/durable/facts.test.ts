import { expect, it } from "vitest";
import { readFact, writeFact } from "../../src/durable/facts.ts";
import { migrate } from "../../src/durable/layout.ts";
import { createMemoryStorage } from "../fakes/memory-storage.ts";

it("facts are overwritten by name", () => {
  const { sql } = createMemoryStorage();
  migrate(sql, 1);
  expect(readFact(sql, "x")).toBeNull();
  writeFact(sql, "x", "1");
  writeFact(sql, "x", "2");
  expect(readFact(sql, "x")).toBe("2");
});
