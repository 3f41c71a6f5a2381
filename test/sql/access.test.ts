/** Scopes enforced on what the engine opens: nothing gets around them, and what is allowed stays readable. */
import { describe, expect, it } from "vitest";
import type { Scopes } from "../../src/sql/scopes.ts";
import { memoryDatabase } from "./engine.ts";
import { courtOf } from "./judging.ts";

const court = await courtOf(
  memoryDatabase([
    "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, email TEXT, salary INTEGER, boss INTEGER REFERENCES users)",
    "CREATE INDEX users_email ON users(email)",
    "CREATE INDEX users_name_salary ON users(name, salary)",
    "CREATE INDEX users_lower ON users(lower(email))",
    "INSERT INTO users VALUES (1, 'Ann', 'ann@x.org', 100, NULL), (2, 'Bob', 'bob@x.org', 90, 1)",
    "CREATE TABLE orders(id INTEGER PRIMARY KEY, user_id INTEGER, total REAL)",
    "INSERT INTO orders VALUES (1, 1, 9.5), (2, 2, 3)",
    "CREATE TABLE secrets(id INTEGER PRIMARY KEY, word TEXT)",
    "CREATE INDEX secrets_word ON secrets(word)",
    "INSERT INTO secrets VALUES (1, 'xyzzy')",
    "CREATE TABLE keyed(a TEXT, b TEXT, c TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID",
    "CREATE TABLE computed(plain TEXT, secret TEXT, hint TEXT GENERATED ALWAYS AS (substr(secret, 1, 1)) VIRTUAL)",
    "CREATE VIEW secret_words AS SELECT word FROM secrets",
    "CREATE VIEW all_words AS SELECT word FROM secret_words",
    "CREATE VIEW people AS SELECT id, name FROM users",
    "CREATE VIEW folk AS SELECT name FROM people",
    "CREATE VIEW contacts AS SELECT name, email FROM users",
    "CREATE VIEW by_email AS SELECT id FROM users ORDER BY email",
    "CREATE VIEW everyone AS SELECT * FROM users",
    "CREATE VIRTUAL TABLE notes USING fts5(title, body)",
    "INSERT INTO notes VALUES ('plan', 'secret body')",
    "CREATE TABLE d1_migrations(id INTEGER)",
    "CREATE VIEW sneaky AS SELECT * FROM pragma_optimize(0x10002)",
  ]),
);
const codeOf = (sql: string, scopes: Scopes = {}): string => {
  const verdict = court.judge(sql, scopes);
  return verdict.ok ? "readable" : verdict.error.code;
};

describe("tables", () => {
  const deny: Scopes = { tables: { deny: ["secrets"] } };
  const allow: Scopes = { tables: { allow: ["users", "orders"] } };

  it.each([
    "SELECT * FROM secrets",
    "SELECT * FROM main.secrets AS users",
    'SELECT count(*) FROM "SECRETS"',
    "SELECT * FROM 'secrets'",
    "SELECT * FROM (SELECT word FROM secrets) AS users",
    "WITH users AS (SELECT * FROM secrets) SELECT * FROM users",
    "SELECT (SELECT word FROM secrets)",
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM secrets)",
    "SELECT * FROM users WHERE name IN secrets_words UNION SELECT word, 1, 1, 1, 1 FROM secrets".replace(
      "name IN secrets_words",
      "1",
    ),
    "SELECT 1 FROM users WHERE 'x' IN (SELECT word FROM secrets)",
    "SELECT word FROM secrets INDEXED BY secrets_word WHERE word > ''",
    "SELECT count(*) FROM secrets NOT INDEXED",
    "SELECT * FROM secret_words",
    "SELECT * FROM all_words",
    "SELECT * FROM users u LEFT JOIN all_words w ON w.word = u.name",
  ])("%s cannot get around a denied table", (sql) => {
    expect(codeOf(sql, deny)).toBe("table_not_readable");
    expect(codeOf(sql, allow)).toBe("table_not_readable");
    expect(codeOf(sql)).toBe("readable");
  });

  it.each([
    "SELECT * FROM users",
    "SELECT u.name, o.total FROM users u JOIN orders o ON o.user_id = u.id",
    "SELECT 'secrets' AS secrets",
    "SELECT 1",
  ])("%s stays readable", (sql) => {
    expect([codeOf(sql, deny), codeOf(sql, allow)]).toEqual(["readable", "readable"]);
  });

  it("an allow list grants what a view on it shows, and not the view's tables", () => {
    const scopes: Scopes = { tables: { allow: ["people"] } };
    expect(codeOf("SELECT * FROM people", scopes)).toBe("readable");
    expect(codeOf("SELECT * FROM users", scopes)).toBe("table_not_readable");
    expect(codeOf("SELECT * FROM people JOIN users USING (id)", scopes)).toBe("table_not_readable");
    expect(codeOf("SELECT * FROM contacts", scopes)).toBe("table_not_readable");
    expect(codeOf("SELECT * FROM people", { tables: { allow: ["people"], deny: ["users"] } })).toBe(
      "table_not_readable",
    );
    expect(codeOf("SELECT * FROM people", { tables: { deny: ["people"] } })).toBe("table_not_readable");
    expect(codeOf("WITH people AS (SELECT 1 AS id) SELECT * FROM people", { tables: { deny: ["people"] } })).toBe(
      "readable",
    );
  });

  it("hidden tables are hidden from everyone", () => {
    for (const sql of ["SELECT * FROM d1_migrations", "SELECT * FROM notes_data", "SELECT * FROM notes_content"]) {
      expect(codeOf(sql), sql).toBe("table_not_readable");
    }
    expect(codeOf("SELECT * FROM notes")).toBe("readable");
  });

  it("virtual tables, which the engine opens without a name, are refused by mention", () => {
    const scopes: Scopes = { tables: { deny: ["notes"] } };
    expect(codeOf("SELECT * FROM notes WHERE notes MATCH 'plan'", scopes)).toBe("table_not_readable");
    expect(codeOf("SELECT * FROM main.notes n", scopes)).toBe("table_not_readable");
    expect(codeOf("SELECT * FROM json_each('[1]')", scopes)).toBe("readable");
    expect(codeOf("SELECT 'notes' FROM users", scopes)).toBe("readable");
  });

  it("the schema table shows a restricted caller only what they may read, and no DDL", () => {
    expect(court.rows("SELECT name, sql FROM sqlite_master ORDER BY name", allow)).toEqual(
      [
        ["contacts", null],
        ["orders", null],
        ["users", null],
      ].slice(1),
    );
    expect(codeOf("SELECT * FROM main.sqlite_master", allow)).toBe("qualified_name");
    expect(codeOf("SELECT count(*) FROM sqlite_schema")).toBe("readable");
    expect(codeOf("SELECT * FROM pragma_table_info('secrets')", allow)).toBe("pragma_refused");
    expect(codeOf("SELECT * FROM pragma_table_list", { columns: { mask: ["users.email"] } })).toBe("pragma_refused");
    expect(codeOf("SELECT * FROM pragma_table_info('secrets')")).toBe("readable");
  });

  it("a pragma that a view hides is refused like one that the statement names", () => {
    expect(codeOf("SELECT * FROM sneaky")).toBe("pragma_refused");
    expect(codeOf("SELECT 'pragma_optimize' FROM users")).toBe("readable");
  });

  it("a refusal tells of nothing that the statement does not name itself", () => {
    const verdict = court.judge("SELECT * FROM all_words", deny);
    expect(JSON.stringify(verdict)).not.toMatch(/secrets|secret_words/);
    expect(JSON.stringify(verdict)).toContain("all_words");
  });
});

describe("columns", () => {
  const deny: Scopes = { columns: { deny: ["users.email"] } };
  const mask: Scopes = { columns: { mask: ["users.email", "users.salary"] } };

  it("a denied column is not there: not in a star, not by name, not by any way around", () => {
    expect(court.rows("SELECT * FROM users WHERE id = 1", deny)).toEqual([[1, "Ann", 100, null]]);
    for (const sql of [
      "SELECT email FROM users",
      "SELECT name FROM users WHERE email LIKE 'a%'",
      "SELECT name FROM users ORDER BY email",
      "SELECT count(DISTINCT u.email) FROM users u",
      "SELECT u2.email FROM users u JOIN users u2 ON 1",
    ]) {
      expect(() => court.judge(sql, deny), sql).toThrow(/no such column/);
    }
    expect(codeOf("SELECT main.users.name FROM main.users", deny)).toBe("qualified_name");
    expect(codeOf("SELECT * FROM contacts", deny)).toBe("column_not_readable");
    expect(codeOf("SELECT name FROM everyone", deny)).toBe("readable");
    expect(codeOf("SELECT * FROM everyone", deny)).toBe("column_not_readable");
    expect(codeOf("SELECT * FROM by_email", deny)).toBe("column_not_readable");
    expect(codeOf("SELECT * FROM people", deny)).toBe("readable");
  });

  it("C37: a masked column keeps its place, its values are gone from rows, filters, groups and sorts", () => {
    expect(court.rows("SELECT * FROM users", mask)).toEqual([
      [1, "Ann", "***", "***", null],
      [2, "Bob", "***", "***", 1],
    ]);
    expect(court.rows("SELECT name FROM users WHERE email = 'ann@x.org'", mask)).toEqual([]);
    expect(court.rows("SELECT count(*), count(DISTINCT email) FROM users", mask)).toEqual([[2, 1]]);
    expect(court.rows("SELECT substr(email, 1, 1), max(salary) FROM users", mask)).toEqual([["*", "***"]]);
    expect(court.rows("SELECT name FROM users ORDER BY salary, name DESC", mask)).toEqual([["Bob"], ["Ann"]]);
    expect(court.rows("WITH u AS (SELECT * FROM users) SELECT a.email FROM u a, u b LIMIT 1", mask)).toEqual([["***"]]);
    expect(codeOf("SELECT * FROM contacts", mask)).toBe("column_not_readable");
    expect(codeOf("SELECT email FROM main.users", mask)).toBe("qualified_name");
  });

  it("rules on a view's columns hold for the view, and for views over it", () => {
    const scopes: Scopes = { columns: { mask: ["people.name"] } };
    expect(court.rows("SELECT * FROM people WHERE id = 1", scopes)).toEqual([[1, "***"]]);
    expect(codeOf("SELECT * FROM main.people", scopes)).toBe("qualified_name");
    expect(codeOf("SELECT * FROM folk", scopes)).toBe("column_not_readable");
    expect(codeOf("SELECT name FROM users", scopes)).toBe("readable");
  });

  it("what does not touch such a column is as before", () => {
    for (const scopes of [deny, mask]) {
      expect(court.rows("SELECT count(*) FROM users", scopes)).toEqual([[2]]);
      expect(court.rows("SELECT name FROM users WHERE id = 2", scopes)).toEqual([["Bob"]]);
      expect(
        court.rows("SELECT o.total FROM users u JOIN orders o ON o.user_id = u.id WHERE u.name = 'Ann'", scopes),
      ).toEqual([[9.5]]);
      expect(codeOf("SELECT * FROM orders", scopes)).toBe("readable");
    }
  });

  it("finds columns by their stored place: key first without row ids, virtual ones not stored, row id as key", () => {
    expect(codeOf("SELECT a, c FROM keyed", { columns: { deny: ["keyed.b"] } })).toBe("readable");
    expect(() => court.judge("SELECT b FROM keyed", { columns: { deny: ["keyed.b"] } })).toThrow(/no such column/);
    const computed: Scopes = { columns: { deny: ["computed.secret"] } };
    expect(codeOf("SELECT plain FROM computed", computed)).toBe("readable");
    expect(codeOf("SELECT hint FROM computed", computed)).toBe("column_not_readable");
    expect(() => court.judge("SELECT rowid FROM users", { columns: { deny: ["users.id"] } })).toThrow(/no such column/);
  });

  it("a full-text table with such a column is not readable at all, since a match reads every column", () => {
    expect(codeOf("SELECT title FROM notes", { columns: { mask: ["notes.body"] } })).toBe("column_not_readable");
  });
});
