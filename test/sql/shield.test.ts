/** Common tables that stand before tables with denied or masked columns. */
import { expect, it } from "vitest";
import { checkQuery } from "../../src/sql/gate.ts";
import type { Scopes } from "../../src/sql/scopes.ts";
import { needsShield, toShield } from "../../src/sql/shield.ts";
import { catalogOf, memoryDatabase } from "./engine.ts";

const catalog = await catalogOf(
  memoryDatabase([
    "CREATE TABLE users(id INTEGER, [e mail] TEXT)",
    "CREATE TABLE orders(id INTEGER)",
    "CREATE TABLE only(secret TEXT)",
  ]),
);

function shieldsOf(sql: string, scopes: Scopes): readonly string[] {
  const checked = checkQuery(sql);
  if (!checked.ok) throw new Error(checked.error.message);
  return toShield(checked.value.shape, catalog, scopes).definitions;
}

it("stands only before the tables that a statement names and that need it", () => {
  const scopes: Scopes = { columns: { mask: ["users.e mail"] } };
  expect(shieldsOf("SELECT * FROM USERS u, orders", scopes)).toEqual([
    `"users" AS NOT MATERIALIZED (SELECT "id", '***' AS "e mail" FROM main."users")`,
  ]);
  expect(shieldsOf("SELECT * FROM orders", scopes)).toEqual([]);
  expect(shieldsOf("SELECT * FROM users", {})).toEqual([]);
});

it("leaves denied columns out, even when none is left", () => {
  expect(shieldsOf("SELECT * FROM only", { columns: { deny: ["*.secret"] } })).toEqual([
    `"only" AS NOT MATERIALIZED (SELECT NULL FROM main."only")`,
  ]);
});

it("stands before the schema table for callers with something denied", () => {
  const [shield] = shieldsOf("SELECT name FROM Sqlite_Master", { tables: { allow: ["orders"] } });
  expect(shield).toContain(`"sqlite_master" AS NOT MATERIALIZED`);
  expect(shield).toContain("name IN ('orders')");
  expect(shieldsOf("SELECT name FROM sqlite_master", { maskValues: ["email"] })).toEqual([]);
});

it("knows which tables need one", () => {
  const need = (scopes: Scopes) =>
    catalog.relations.filter((relation) => needsShield(relation, scopes)).map(({ name }) => name);
  expect(need({ columns: { deny: ["*.id"] } })).toEqual(["users", "orders"]);
  expect(need({ tables: { deny: ["users"] } })).toEqual([]);
});
