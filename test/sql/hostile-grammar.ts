/**
 * Grows hostile SQL text: reads and writes joined by every blank, comment, quote and bracket, writes put into every
 * position of a read, tokens dropped, doubled and swapped. Most of it is nonsense to SQLite, and all of it must be safe.
 */
import fc from "fast-check";

const WRITES = [
  "DELETE FROM u",
  "DELETE FROM u RETURNING *",
  "INSERT INTO u VALUES (1, 2)",
  "INSERT INTO u VALUES (1, 2) RETURNING id",
  "REPLACE INTO t(id) VALUES (9)",
  "UPDATE u SET id = id + 1",
  "DROP TABLE u",
  "CREATE TABLE x1(a)",
  "CREATE VIEW x2 AS SELECT 1",
  "CREATE TRIGGER x3 AFTER INSERT ON t BEGIN DELETE FROM u; END",
  "ALTER TABLE u ADD COLUMN c",
  "PRAGMA user_version = 7",
  "PRAGMA optimize(0x10002)",
  "ANALYZE",
  "REINDEX",
  "SELECT * FROM pragma_optimize(0x10002)",
  "WITH x AS (SELECT 1) DELETE FROM u",
  "WITH x AS (SELECT 1) INSERT INTO u SELECT 1, 2",
  "SAVEPOINT s",
];
const READS = [
  "SELECT 1",
  "SELECT * FROM t",
  "SELECT name FROM t WHERE name = 'a;b'",
  'SELECT "delete" FROM "drop"',
  "VALUES (1), (2)",
  "WITH x AS (SELECT 1 AS a) SELECT a FROM x",
  "SELECT replace(name, ';', ')') FROM t",
  "SELECT count(*) FROM t a, u b WHERE a.id = b.t_id",
  "SELECT (SELECT max(id) FROM t)",
  "SELECT id FROM t UNION SELECT id FROM u ORDER BY 1 LIMIT 2",
];
const JOINTS = [
  "",
  " ",
  "\n",
  "\t",
  "\f",
  "\v",
  "\r\n",
  "\u00a0",
  "\u200b",
  "\uFEFF",
  "；",
  "\0",
  ";",
  ";;",
  " ; ",
  ";\n",
  "/**/",
  "/* x */",
  "/*;*/",
  "/*",
  "*/",
  "--",
  "--\n",
  "-- ;\n",
  "--'\n",
  "'",
  "''",
  '"',
  '""',
  "`",
  "[",
  "]",
  "(",
  ")",
  "()",
  ")(",
  ") ; ",
  "));",
  ",",
  ".",
  "\\",
  "x'",
  "x''",
  " AS ",
  " UNION ",
  " UNION ALL ",
  " WHERE ",
  " FROM ",
  " IN ",
  " LIMIT 1 ",
  " EXPLAIN ",
  " WITH x AS (",
  " AS (",
  "?",
  "$a(",
  "::",
  "0x",
];
const WRAPS: readonly (readonly [string, string])[] = [
  ["(", ")"],
  ["'", "'"],
  ['"', '"'],
  ["`", "`"],
  ["[", "]"],
  ["/*", "*/"],
  ["--", "\n"],
  ["", ";"],
  [";", ""],
  ["SELECT * FROM (", ")"],
  ["SELECT (", ")"],
  ["SELECT 1 WHERE 1 IN (", ")"],
  ["SELECT 1 WHERE EXISTS (", ")"],
  ["WITH x AS (", ") SELECT * FROM x"],
  ["WITH x AS (SELECT 1) ", ""],
  ["WITH x AS (SELECT 1), y AS (", ") SELECT 1"],
  ["SELECT 1) ; ", "; SELECT * FROM (SELECT 1"],
  ["SELECT 1); ", " --"],
  ["SELECT 1; ", ""],
  ["EXPLAIN ", ""],
  ["EXPLAIN QUERY PLAN ", ""],
  ["SELECT 1 UNION ", ""],
  ["SELECT * FROM t, ", ""],
  ["SELECT * FROM t JOIN ", " ON 1"],
  ["SELECT 1 /* ", " */"],
  ["/* ", " */ SELECT 1"],
  ["SELECT ';", "'"],
  ["SELECT * FROM t ORDER BY (", ")"],
  ["SELECT * FROM t WHERE id IN ", ""],
  ["VALUES ((", "))"],
  ["SELECT * FROM 'pragma_optimize'(", ")"],
];

const joint = fc.constantFrom(...JOINTS);
const statement = fc.constantFrom(...WRITES, ...READS);

/** A statement in some wrap, wrapped again up to three times. */
const wrapped = fc
  .tuple(statement, fc.array(fc.constantFrom(...WRAPS), { maxLength: 3 }))
  .map(([sql, wraps]) => wraps.reduce((inner, [before, after]) => `${before}${inner}${after}`, sql));

/** Statements with joints before, between and behind. */
const joined = fc
  .array(fc.tuple(joint, wrapped, joint), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.flat().join(""));

/** A read with something put between two of its characters. */
const injected = fc
  .tuple(fc.constantFrom(...READS), fc.nat(), joint, statement, joint)
  .map(([read, at, before, sql, after]) => {
    const split = at % (read.length + 1);
    return `${read.slice(0, split)}${before}${sql}${after}${read.slice(split)}`;
  });

/** Words of statements and joints in any order. */
const shuffled = fc
  .array(
    fc.oneof(
      statement.map((sql) => sql.split(" ")),
      joint.map((text) => [text]),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .chain((parts) => fc.shuffledSubarray(parts.flat(), { minLength: 1 }))
  .map((words) => words.join(" "));

/** Hostile texts of every kind. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: joined, weight: 4 },
  { arbitrary: injected, weight: 4 },
  { arbitrary: shuffled, weight: 2 },
);
