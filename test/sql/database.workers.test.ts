/** The read-only database against real D1 in workerd. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { createDatabase } from "../../src/sql/database.ts";

const db = (env as unknown as { DB: D1Database }).DB;

beforeAll(async () => {
  await db.prepare("CREATE TABLE t(id INTEGER PRIMARY KEY, big INTEGER)").run();
  await db.prepare("INSERT INTO t VALUES (1, 9223372036854775807), (2, 3)").run();
});

test("integers beyond 2^53 come through exactly", async () => {
  const database = createDatabase(db, {}, { now: () => 0 });
  const outcome = await database.query("SELECT * FROM t", { rowsReadMax: 1000, signal: new AbortController().signal });
  expect(outcome).toMatchObject({
    kind: "rows",
    result: {
      columns: ["id", "big"],
      rows: [
        [1, { type: "integer", text: "9223372036854775807" }],
        [2, 3],
      ],
    },
  });
});
