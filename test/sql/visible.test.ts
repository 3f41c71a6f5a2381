/** What a caller is shown is what a query of theirs could read. */
import { expect, it } from "vitest";
import type { Scopes } from "../../src/sql/scopes.ts";
import { visibleRelations } from "../../src/sql/visible.ts";
import { memoryDatabase } from "./engine.ts";
import { courtOf } from "./judging.ts";

const court = await courtOf(
  memoryDatabase([
    "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, email TEXT)",
    "CREATE TABLE secrets(word TEXT)",
    "CREATE VIEW people AS SELECT id, name FROM users",
    "CREATE VIEW contacts AS SELECT name, email AS mail FROM users",
    "CREATE VIEW everyone AS SELECT * FROM users",
    "CREATE VIEW words AS SELECT word FROM secrets",
    "CREATE VIEW more_words AS SELECT * FROM words",
    "CREATE VIRTUAL TABLE notes USING fts5(title)",
    "CREATE TABLE d1_migrations(id INTEGER)",
  ]),
);
const shown = (scopes: Scopes) => visibleRelations(court.catalog, scopes).map((relation) => relation.name);

it.each<[string, Scopes, readonly string[]]>([
  [
    "everything but what is hidden from all",
    {},
    ["users", "secrets", "people", "contacts", "everyone", "words", "more_words", "notes"],
  ],
  [
    "nothing denied, nor a view over it",
    { tables: { deny: ["secrets"] } },
    ["users", "people", "contacts", "everyone", "notes"],
  ],
  ["what is allowed, views with what they show", { tables: { allow: ["people", "NOTES"] } }, ["people", "notes"]],
  [
    "no view that shows a denied column",
    { columns: { deny: ["users.email"] } },
    ["users", "secrets", "people", "words", "more_words", "notes"],
  ],
  [
    "no view that reads a masked column",
    { columns: { mask: ["*.email"] } },
    ["users", "secrets", "people", "words", "more_words", "notes"],
  ],
  ["nothing when nothing is allowed", { tables: { allow: [] } }, []],
])("shows %s", (_what, scopes, expected) => {
  expect(shown(scopes)).toEqual(expected);
});

it("a broken view does not tell the name of a denied table that is gone", async () => {
  const other = await courtOf(
    memoryDatabase(["CREATE TABLE gone(x)", "CREATE VIEW v AS SELECT x FROM gone", "DROP TABLE gone"]),
  );
  const names = (scopes: Scopes) => visibleRelations(other.catalog, scopes).map((relation) => relation.name);
  expect([names({}), names({ tables: { deny: ["gone"] } })]).toEqual([["v"], []]);
});

it("shows nothing that a query could not read", () => {
  const scopes: Scopes = { tables: { deny: ["secrets"] }, columns: { mask: ["users.email"] } };
  for (const name of shown(scopes)) expect(court.judge(`SELECT * FROM ${name}`, scopes).ok, name).toBe(true);
  for (const name of ["words", "more_words", "contacts", "everyone"])
    expect(court.judge(`SELECT * FROM ${name}`, scopes).ok, name).toBe(false);
});
