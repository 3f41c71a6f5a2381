/**
 * The key phrases of the question language (`how many`, `at least`, `in descending order of`) and what each does.
 * Leaves to others: their order in a sentence (read-*.ts). Pure: no I/O, no clock.
 */

export type Operator = "=" | "<>" | "<" | "<=" | ">" | ">=";

/** What a key phrase does in a question. */
export type Key =
  | { readonly key: "count" | "how_much" | "each" | "by" | "not" | "or" | "and" | "both" | "distinct" }
  | { readonly key: "between" | "most" | "fewest" | "top" | "bottom" | "share" }
  | { readonly key: "aggregate"; readonly function: "avg" | "sum" | "min" | "max" }
  | { readonly key: "compare"; readonly operator: Operator }
  | { readonly key: "order"; readonly descending: boolean | null }
  | { readonly key: "contains"; readonly at: "any" | "start" | "end" }
  | { readonly key: "clause"; readonly word: string };

/** Phrases of one meaning; of `(a|b)` either stands there. */
type Phrases = readonly (readonly [key: Key, phrases: string])[];

const KEY_PHRASES: Phrases = [
  [{ key: "aggregate", function: "avg" }, "averages?, mean, avg, on average"],
  [
    { key: "aggregate", function: "sum" },
    "(total|sum)( of)?, total amount of, combined, overall, in total, altogether",
  ],
  [{ key: "aggregate", function: "min" }, "minimum, minimal, min"],
  [{ key: "aggregate", function: "max" }, "maximum, maximal, max"],
  [
    { key: "compare", operator: ">=" },
    "(more|greater) than or equal to, (no|not) less than, no fewer than, at least, a minimum of, since, starting from, >=",
  ],
  [
    { key: "compare", operator: "<=" },
    "less than or equal to, (no|not) more than, at most, a maximum of, up to, until, <=",
  ],
  [
    { key: "compare", operator: ">" },
    "(more|greater|higher|larger|bigger) than, exceed(s|ing)?, bigger then, over, above, beyond, after, >",
  ],
  [{ key: "compare", operator: "<" }, "(less|fewer|lower|smaller) than, under, below, before, <"],
  [{ key: "compare", operator: "=" }, "(the )?same as, equal to, equals, exactly, ="],
  [{ key: "compare", operator: "<>" }, "different from, not (the same as|equal to), !=, <>"],
  [{ key: "order", descending: null }, "(ordered|order|sorted|sort|ranked) by, ordered from, in (the )?order of"],
  [
    { key: "order", descending: true },
    "((sorted|sort|ordered) )?in (descending|decreasing) order( of)?, in reversed? (alphabetical|lexicographical) order, descending",
  ],
  [
    { key: "order", descending: false },
    "((sorted|sort|ordered) )?in (ascending|increasing|alphabetical) order( of)?, in (lexicographical|chronological) order, alphabetically, ascending",
  ],
  [{ key: "contains", at: "any" }, "contain(s|ing)?, the (words?|letter|substring( the)?|text|phrase), including"],
  [{ key: "contains", at: "start" }, "(start|begin)s? with( the letter)?, starting with( the letter)?, beginning with"],
  [{ key: "contains", at: "end" }, "ends? with, ending (with|in)"],
  [
    { key: "count" },
    "how many, (total )?numbers? of, (the )?count of, count( (the|all))?, count the number of, # of, how often",
  ],
  [{ key: "how_much" }, "how much"],
  [
    { key: "each" },
    "per, ((for|in|of|from|by|at|to|within|with) )?each, ((for|in|of|from) )?every, (grouped|group|broken down|split) by",
  ],
  [{ key: "by" }, "by"],
  [{ key: "not" }, "no, not, without, never, neither, except( for)?, excluding, lack(s|ing)?, other than, nobody"],
  [{ key: "or" }, "or, nor"],
  [{ key: "and" }, "and"],
  [{ key: "both" }, "both"],
  [{ key: "distinct" }, "distinct, different, unique"],
  [{ key: "between" }, "between"],
  [{ key: "most" }, "most, (most|highest|largest|greatest|biggest|maximum) (number|amount) of"],
  [{ key: "fewest" }, "fewest, least, (lowest|least|smallest|fewest|minimum) (number|amount) of"],
  [{ key: "top" }, "top"],
  [{ key: "bottom" }, "bottom"],
  [{ key: "share" }, "(percentage|percent|share|proportion) of, in percent"],
];

const CLAUSES =
  "that who whom whose which where with having have has had from in at on during than for of to when named called do " +
  "does did is are was were as but if there via using through among";

/** `(a|b) c?` stands for `a`, `a c`, `b` and `b c`: every way to read it, without spaces at its ends. */
export function expand(pattern: string): readonly string[] {
  const group = /\(([^()]*)\)(\?)?|(\w)(\?)/.exec(pattern);
  if (group === null) return [pattern.trim()];
  const [all, parts, optional, letter] = group;
  const options = [...(parts ?? letter ?? "").split("|"), ...(parts === undefined || optional === "?" ? [""] : [])];
  return options.flatMap((option) => expand(pattern.replace(all, () => option)));
}

/** Key phrases by their first word, longest first. */
const KEYS = readKeys();

function readKeys(): ReadonlyMap<string, readonly { readonly words: readonly string[]; readonly key: Key }[]> {
  const clauses = CLAUSES.split(" ").map((word) => [{ key: "clause", word }, word] as const);
  const map = new Map<string, { readonly words: readonly string[]; readonly key: Key }[]>();
  for (const [key, patterns] of [...KEY_PHRASES, ...clauses]) {
    for (const phrase of new Set(patterns.split(", ").flatMap(expand))) {
      const words = phrase.split(" ");
      const first = words[0] ?? "";
      map.set(
        first,
        [...(map.get(first) ?? []), { words, key }].sort((a, b) => b.words.length - a.words.length),
      );
    }
  }
  return map;
}

/** The longest key phrase that opens `words`, with its length. */
export function keyAt(words: readonly string[]): { readonly key: Key; readonly length: number } | null {
  for (const entry of KEYS.get(words[0] ?? "") ?? []) {
    if (entry.words.every((word, index) => words[index] === word))
      return { key: entry.key, length: entry.words.length };
  }
  return null;
}
