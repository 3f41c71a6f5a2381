/** What a caller may read, by name. */
import { describe, expect, it } from "vitest";
import {
  foldName,
  hasColumnRules,
  isDeniedColumn,
  isHidden,
  isMaskedColumn,
  mayReadSchema,
  mayReadTable,
} from "../../src/sql/scopes.ts";

describe("scopes", () => {
  it("an allow list leaves out everything else, and a deny list always wins", () => {
    expect(mayReadTable({}, "t")).toBe(true);
    expect(mayReadTable({ tables: { allow: ["T"] } }, "t")).toBe(true);
    expect(mayReadTable({ tables: { allow: ["t"] } }, "u")).toBe(false);
    expect(mayReadTable({ tables: { allow: [] } }, "t")).toBe(false);
    expect(mayReadTable({ tables: { allow: ["t"], deny: ["t"] } }, "t")).toBe(false);
    expect(mayReadTable({ tables: { deny: ["T"] } }, "t")).toBe(false);
  });

  it("columns are named with their table, or for every table", () => {
    const scopes = { columns: { deny: ["Users.Email", "*.password"], mask: ["users.phone"] } };
    expect(isDeniedColumn(scopes, "users", "EMAIL")).toBe(true);
    expect(isDeniedColumn(scopes, "orders", "email")).toBe(false);
    expect(isDeniedColumn(scopes, "orders", "Password")).toBe(true);
    expect(isMaskedColumn(scopes, "USERS", "phone")).toBe(true);
    expect(hasColumnRules(scopes)).toBe(true);
    expect(hasColumnRules({ columns: { deny: [] } })).toBe(false);
  });

  it("D7: hides what is Cloudflare's, SQLite's and D1's own, and shadow tables", () => {
    const names = ["_cf_KV", "_CF_METADATA", "sqlite_sequence", "sqlite_stat1", "d1_migrations", "D1_Migrations"];
    for (const name of names) expect(isHidden({ name, kind: "table" }), name).toBe(true);
    expect(isHidden({ name: "f_data", kind: "shadow" })).toBe(true);
    for (const name of ["f_data", "my_cf_table", "sqlitely"])
      expect(isHidden({ name, kind: "table" }), name).toBe(false);
  });

  it("the schema table is for callers with nothing denied", () => {
    expect(mayReadSchema({})).toBe(true);
    expect(mayReadSchema({ maskValues: ["email"], rowCap: 5 })).toBe(true);
    expect(mayReadSchema({ tables: { allow: ["t"] } })).toBe(false);
    expect(mayReadSchema({ tables: { deny: ["t"] } })).toBe(false);
    expect(mayReadSchema({ columns: { mask: ["t.a"] } })).toBe(false);
  });

  it("folds the case of ASCII letters only, as SQLite does for names", () => {
    expect(foldName("ÄbC İ")).toBe("Äbc İ");
  });
});
