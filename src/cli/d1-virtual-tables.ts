/**
 * Virtual tables of a private copy: D1 has FTS5 and R*Tree, and those stay as they are with all their content. Tables of
 * other modules become plain tables when this process can read them, and are taken out when nobody here can.
 *
 * Leaves to others: everything that is not a virtual table (d1-fit.ts).
 */
import type { DatabaseSync } from "node:sqlite";
import { columnNames, removeObject } from "./sqlite-schema.ts";
import { messageOf, quoteName } from "./sqlite-text.ts";

const MODULES_OF_D1 = new Set(["fts5", "fts5vocab", "rtree", "rtree_i32"]);

/** Changes what must be changed and returns one sentence for each changed table. */
export function fitVirtualTables(database: DatabaseSync): readonly string[] {
  const tables = database
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name",
    )
    .all();
  return tables.flatMap((table) => {
    const name = String(table.name);
    const module = moduleOf(String(table.sql));
    if (MODULES_OF_D1.has(module.toLowerCase())) return removeUnreadable(database, name);
    return toPlainTable(database, name, module);
  });
}

/** A known module may still not open its table: a tokenizer or an auxiliary table that is nowhere to be found. */
function removeUnreadable(database: DatabaseSync, name: string): readonly string[] {
  try {
    database.prepare(`SELECT * FROM ${quoteName(name)} LIMIT 0`).all();
    return [];
  } catch (error) {
    removeObject(database, name);
    return [`Virtual table ${quoteName(name)} cannot be opened (${messageOf(error)}): left out.`];
  }
}

function toPlainTable(database: DatabaseSync, name: string, module: string): readonly string[] {
  const head = `Virtual table ${quoteName(name)} uses the module ${module}, which D1 does not have`;
  const plain = quoteName(`${name} (plain)`);
  database.exec("BEGIN");
  try {
    const columns = columnNames(database, name).map(quoteName).join(", ");
    database.exec(`CREATE TABLE ${plain} (${columns})`);
    database.exec(`INSERT INTO ${plain} (rowid, ${columns}) SELECT rowid, ${columns} FROM ${quoteName(name)}`);
    database.exec(`DROP TABLE ${quoteName(name)}`);
    database.exec(`ALTER TABLE ${plain} RENAME TO ${quoteName(name)}`);
    database.exec("COMMIT");
    return [`${head}: its rows are here as a plain table.`];
  } catch {
    database.exec("ROLLBACK");
    removeObject(database, name);
    return [`${head}: left out.`];
  }
}

/** The word after USING. SQLite stores the text as `CREATE VIRTUAL TABLE name USING module(…)`, the name as it was typed. */
function moduleOf(sql: string): string {
  const afterName =
    /^CREATE VIRTUAL TABLE\s+(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`|\[[^\]]*\]|[^\s"'`[]+)\s+USING\s+["'`[]?(\w+)/is;
  return afterName.exec(sql)?.[1] ?? "unknown";
}
