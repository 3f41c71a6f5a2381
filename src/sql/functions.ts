/**
 * What other dialects have and SQLite on D1 has not, and how to say it instead. Functions that D1 leaves out of SQLite's
 * own set (log10, power) are here too. Keys are lower case; the value is advice for a model. Pure: no I/O, no clock.
 */
import { tokenize } from "./lexer.ts";

const REWRITES: Readonly<Record<string, string>> = {
  date_trunc: "DATE_TRUNC('month', d) is strftime('%Y-%m-01', d); 'year' is strftime('%Y-01-01', d); 'day' is date(d).",
  ilike: "Write x LIKE 'pattern': LIKE ignores the case of ASCII letters in SQLite.",
  similar: "Write x LIKE … or x GLOB …: SIMILAR TO is not there.",
  regexp: "There is no REGEXP: use LIKE, GLOB (which has [a-z] and *), or instr().",
  rlike: "There is no RLIKE: use LIKE, GLOB or instr().",
  regexp_matches: "There are no regular expressions: use LIKE, GLOB or instr().",
  regexp_replace: "There are no regular expressions: use replace(), substr() and instr().",
  median:
    "MEDIAN(x) is SELECT avg(x) FROM (SELECT x FROM t WHERE x IS NOT NULL ORDER BY x LIMIT 2 - (SELECT count(x) FROM t) % 2 OFFSET (SELECT (count(x) - 1) / 2 FROM t)).",
  percentile:
    "A percentile is the row at an offset: SELECT x FROM t WHERE x IS NOT NULL ORDER BY x LIMIT 1 OFFSET (SELECT CAST(count(x) * 0.9 AS INTEGER) FROM t).",
  percentile_cont: "Use ORDER BY x LIMIT 1 OFFSET (SELECT CAST(count(x) * 0.9 AS INTEGER) FROM t).",
  percentile_disc: "Use ORDER BY x LIMIT 1 OFFSET (SELECT CAST(count(x) * 0.9 AS INTEGER) FROM t).",
  stddev: "STDDEV(x) is sqrt((sum(x * x) - sum(x) * sum(x) * 1.0 / count(x)) / (count(x) - 1)).",
  stddev_samp: "Use sqrt((sum(x * x) - sum(x) * sum(x) * 1.0 / count(x)) / (count(x) - 1)).",
  stddev_pop: "Use sqrt(avg(x * x) - avg(x) * avg(x)).",
  variance: "Use (sum(x * x) - sum(x) * sum(x) * 1.0 / count(x)) / (count(x) - 1).",
  log10: "log10(x) is not there: use log(x), which is base 10 in SQLite.",
  power: "power(x, y) is not there: use pow(x, y).",
  ceiling: "ceiling(x) is not there: use ceil(x).",
  if: "if(c, a, b) is not there: use iif(c, a, b) or CASE WHEN c THEN a ELSE b END.",
  now: "NOW() is datetime('now'); today is date('now').",
  getdate: "GETDATE() is datetime('now').",
  curdate: "CURDATE() is date('now').",
  to_char: "TO_CHAR(d, 'YYYY-MM') is strftime('%Y-%m', d); for numbers use printf('%.2f', x).",
  to_date: "TO_DATE(x) is date(x), for texts like 2024-05-31.",
  to_timestamp: "Use datetime(x, 'unixepoch') for seconds, datetime(x) for text.",
  date_format: "DATE_FORMAT(d, '%Y-%m') is strftime('%Y-%m', d).",
  extract: "EXTRACT(YEAR FROM d) is CAST(strftime('%Y', d) AS INTEGER); %m is the month, %d the day, %w the weekday.",
  date_part: "DATE_PART('year', d) is CAST(strftime('%Y', d) AS INTEGER).",
  datepart: "DATEPART(year, d) is CAST(strftime('%Y', d) AS INTEGER).",
  year: "YEAR(d) is CAST(strftime('%Y', d) AS INTEGER).",
  month: "MONTH(d) is CAST(strftime('%m', d) AS INTEGER).",
  day: "DAY(d) is CAST(strftime('%d', d) AS INTEGER).",
  quarter: "QUARTER(d) is (CAST(strftime('%m', d) AS INTEGER) + 2) / 3.",
  week: "WEEK(d) is CAST(strftime('%W', d) AS INTEGER).",
  dayofweek: "DAYOFWEEK(d) is strftime('%w', d), where 0 is Sunday.",
  datediff: "DATEDIFF(a, b) in days is CAST(julianday(a) - julianday(b) AS INTEGER).",
  dateadd: "DATEADD(day, 7, d) is date(d, '+7 days').",
  date_add: "DATE_ADD(d, INTERVAL 7 DAY) is date(d, '+7 days').",
  date_sub: "DATE_SUB(d, INTERVAL 7 DAY) is date(d, '-7 days').",
  interval: "There is no INTERVAL: use date(d, '+7 days'), date(d, '-1 month').",
  age: "AGE(a, b) is timediff(a, b), or julianday(a) - julianday(b) in days.",
  top: "SELECT TOP n … is SELECT … ORDER BY … LIMIT n.",
  fetch: "FETCH FIRST n ROWS ONLY is LIMIT n.",
  qualify: "There is no QUALIFY: put the window function in a subquery and filter outside it.",
  left: "LEFT(x, n) is substr(x, 1, n).",
  right: "RIGHT(x, n) is substr(x, -n).",
  len: "LEN(x) is length(x).",
  char_length: "CHAR_LENGTH(x) is length(x).",
  charindex: "CHARINDEX(a, x) is instr(x, a).",
  position: "POSITION(a IN x) is instr(x, a).",
  strpos: "STRPOS(x, a) is instr(x, a).",
  locate: "LOCATE(a, x) is instr(x, a).",
  split_part: "SPLIT_PART(x, ',', 1) is substr(x, 1, instr(x || ',', ',') - 1).",
  lpad: "LPAD(x, 5, '0') is printf('%05d', x) for numbers, substr('00000' || x, -5) for text.",
  rpad: "RPAD(x, 5, ' ') is substr(x || '     ', 1, 5).",
  repeat: "REPEAT(x, n) is replace(printf('%.*c', n, '*'), '*', x).",
  reverse: "There is no REVERSE.",
  initcap: "INITCAP(x) is upper(substr(x, 1, 1)) || lower(substr(x, 2)).",
  isnull: "ISNULL(x, y) is ifnull(x, y) or coalesce(x, y).",
  nvl: "NVL(x, y) is ifnull(x, y) or coalesce(x, y).",
  greatest: "GREATEST(a, b) is max(a, b).",
  least: "LEAST(a, b) is min(a, b).",
  rand: "RAND() is abs(random()) / 9223372036854775807.0.",
  listagg: "LISTAGG(x, ',') is group_concat(x, ',') or string_agg(x, ',').",
  array_agg: "ARRAY_AGG(x) is json_group_array(x).",
  json_agg: "JSON_AGG(x) is json_group_array(x).",
  json_object_agg: "JSON_OBJECT_AGG(k, v) is json_group_object(k, v).",
  unnest: "UNNEST(a) is json_each(a).",
  generate_series:
    "generate_series is not there: use WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100) SELECT x FROM n.",
  convert: "CONVERT(type, x) is CAST(x AS type).",
  try_cast: "TRY_CAST(x AS type) is CAST(x AS type), which never fails in SQLite.",
  "::": "x::type is CAST(x AS type).",
  sqlite_version: "The version cannot be asked here.",
  count_if: "COUNT_IF(c) is sum(c), or count(*) FILTER (WHERE c).",
  countif: "COUNTIF(c) is sum(c), or count(*) FILTER (WHERE c).",
  bool_or: "BOOL_OR(c) is max(c).",
  bool_and: "BOOL_AND(c) is min(c).",
  md5: "There are no hash functions.",
  sha1: "There are no hash functions.",
  uuid: "There is no UUID(): reads need none.",
  lateral: "There is no LATERAL: use a correlated subquery in the select list.",
  pivot: "There is no PIVOT: use sum(CASE WHEN … THEN … END) for each column.",
  rollup: "There is no ROLLUP: use UNION ALL of the detail and the total.",
  cube: "There is no CUBE: use UNION ALL of the groupings.",
  any: "= ANY (…) is IN (…).",
  all: "> ALL (…) is > (SELECT max(…) …).",
};

/** Words that no SQLite statement has as a keyword or function, so that meeting one explains a syntax error. */
const DIALECT_WORDS = new Set(
  (
    "ilike similar rlike date_trunc extract date_part date_add date_sub interval top fetch qualify lateral pivot rollup " +
    "cube convert try_cast position percentile_cont percentile_disc any unnest"
  ).split(" "),
);

/** Advice for the words of other dialects in a statement that SQLite cannot parse. */
export function rewritesForDialect(sql: string): readonly string[] {
  const words = tokenize(sql).filter((token) => token.kind === "word");
  const foreign = new Set(words.map((token) => token.text.toLowerCase()).filter((word) => DIALECT_WORDS.has(word)));
  return [...foreign].flatMap((word) => rewriteFor(word) ?? []);
}

/** Advice for a function or word that SQLite on D1 does not know, or null. */
export function rewriteFor(name: string): readonly string[] | null {
  const key = name.toLowerCase();
  const rewrite = Object.hasOwn(REWRITES, key) ? REWRITES[key] : undefined;
  return rewrite === undefined ? null : [rewrite];
}
