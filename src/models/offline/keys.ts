/**
 * The key phrases of the question language (`how many`, `at least`, `in descending order of`) and what each does.
 * Leaves to others: their order in a sentence (read-*.ts). Pure: no I/O, no clock.
 */

export type Operator = "=" | "<>" | "<" | "<=" | ">" | ">=";

/** What a key phrase does in a question. */
export type Key =
  | { readonly key: "count" | "how_much" | "each" | "by" | "not" | "or" | "and" | "both" | "distinct" }
  | { readonly key: "between" | "most" | "fewest" | "top" | "bottom" | "average_of" | "share" | "both_ends" }
  | { readonly key: "aggregate"; readonly function: "avg" | "sum" | "min" | "max" }
  | { readonly key: "compare"; readonly operator: Operator }
  | { readonly key: "order"; readonly descending: boolean | null }
  | { readonly key: "contains"; readonly at: "any" | "start" | "end" }
  | { readonly key: "clause"; readonly word: string };

const AGGREGATES: Readonly<Record<string, "avg" | "sum" | "min" | "max">> = {
  average: "avg",
  averages: "avg",
  mean: "avg",
  avg: "avg",
  "on average": "avg",
  total: "sum",
  "total amount of": "sum",
  "sum of": "sum",
  "total of": "sum",
  sum: "sum",
  combined: "sum",
  overall: "sum",
  "in total": "sum",
  altogether: "sum",
  minimum: "min",
  minimal: "min",
  min: "min",
  maximum: "max",
  maximal: "max",
  max: "max",
};

const COMPARISONS: Readonly<Record<string, Operator>> = {
  "more than or equal to": ">=",
  "greater than or equal to": ">=",
  "less than or equal to": "<=",
  "no more than": "<=",
  "not more than": "<=",
  "no less than": ">=",
  "not less than": ">=",
  "no fewer than": ">=",
  "at least": ">=",
  "at most": "<=",
  "a minimum of": ">=",
  "a maximum of": "<=",
  "up to": "<=",
  "more than": ">",
  "greater than": ">",
  "higher than": ">",
  "larger than": ">",
  "bigger than": ">",
  "less than": "<",
  "fewer than": "<",
  "lower than": "<",
  "smaller than": "<",
  exceeding: ">",
  exceeds: ">",
  exceed: ">",
  "bigger then": ">",
  over: ">",
  above: ">",
  beyond: ">",
  under: "<",
  below: "<",
  "different from": "<>",
  "not the same as": "<>",
  "the same as": "=",
  "same as": "=",
  "equal to": "=",
  equals: "=",
  exactly: "=",
  "not equal to": "<>",
  ">=": ">=",
  "<=": "<=",
  ">": ">",
  "<": "<",
  "=": "=",
  "!=": "<>",
  "<>": "<>",
  after: ">",
  since: ">=",
  before: "<",
  until: "<=",
  "starting from": ">=",
};

const ORDERS: Readonly<Record<string, boolean | null>> = {
  "ordered by": null,
  "order by": null,
  "sorted by": null,
  "sort by": null,
  "ranked by": null,
  "ordered from": null,
  "in order of": null,
  "in the order of": null,
  "in descending order of": true,
  "in decreasing order of": true,
  "in ascending order of": false,
  "in increasing order of": false,
  "sorted in descending order of": true,
  "sorted in ascending order of": false,
  "ordered in descending order of": true,
  "sort in ascending order of": false,
  "sort in descending order of": true,
  "in alphabetical order of": false,
  "in descending order": true,
  "in decreasing order": true,
  "in ascending order": false,
  "in increasing order": false,
  "in reverse alphabetical order": true,
  "in alphabetical order": false,
  "in reversed lexicographical order": true,
  "in lexicographical order": false,
  "in chronological order": false,
  alphabetically: false,
  descending: true,
  ascending: false,
};

const PLAIN: Readonly<Record<string, Key["key"]>> = {
  "how many": "count",
  "number of": "count",
  "numbers of": "count",
  "total number of": "count",
  "the count of": "count",
  "count of": "count",
  "count the": "count",
  "count all": "count",
  count: "count",
  "count the number of": "count",
  "# of": "count",
  "how often": "count",
  "how much": "how_much",
  per: "each",
  "for each": "each",
  "for every": "each",
  "in each": "each",
  "in every": "each",
  "of each": "each",
  "of every": "each",
  "from each": "each",
  "from every": "each",
  "by each": "each",
  "at each": "each",
  "to each": "each",
  "within each": "each",
  "with each": "each",
  "grouped by": "each",
  "group by": "each",
  "broken down by": "each",
  "split by": "each",
  each: "each",
  every: "each",
  by: "by",
  no: "not",
  not: "not",
  without: "not",
  never: "not",
  neither: "not",
  nor: "or",
  except: "not",
  "except for": "not",
  excluding: "not",
  lacking: "not",
  lack: "not",
  lacks: "not",
  "other than": "not",
  nobody: "not",
  or: "or",
  and: "and",
  both: "both",
  distinct: "distinct",
  different: "distinct",
  unique: "distinct",
  between: "between",
  most: "most",
  "most number of": "most",
  "highest number of": "most",
  "largest number of": "most",
  "greatest number of": "most",
  "highest amount of": "most",
  "largest amount of": "most",
  "greatest amount of": "most",
  "most amount of": "most",
  "lowest amount of": "fewest",
  "smallest amount of": "fewest",
  "maximum number of": "most",
  "biggest number of": "most",
  fewest: "fewest",
  least: "fewest",
  "lowest number of": "fewest",
  "least number of": "fewest",
  "smallest number of": "fewest",
  "fewest number of": "fewest",
  "minimum number of": "fewest",
  top: "top",
  bottom: "bottom",
  "the average": "average_of",
  "percentage of": "share",
  "percent of": "share",
  "share of": "share",
  "proportion of": "share",
};

const CONTAINS: Readonly<Record<string, "any" | "start" | "end">> = {
  contain: "any",
  contains: "any",
  containing: "any",
  "the word": "any",
  "the words": "any",
  "the letter": "any",
  "the substring": "any",
  "the substring the": "any",
  "the text": "any",
  "the phrase": "any",
  including: "any",
  "start with": "start",
  "starts with": "start",
  "starting with": "start",
  "begin with": "start",
  "begins with": "start",
  "beginning with": "start",
  "starting with the letter": "start",
  "start with the letter": "start",
  "starts with the letter": "start",
  "begins with the letter": "start",
  "begin with the letter": "start",
  "end with": "end",
  "ends with": "end",
  "ending with": "end",
  "ending in": "end",
};

const CLAUSES: readonly string[] = [
  "that",
  "who",
  "whom",
  "whose",
  "which",
  "where",
  "with",
  "having",
  "have",
  "has",
  "had",
  "from",
  "in",
  "at",
  "on",
  "during",
  "than",
  "for",
  "of",
  "to",
  "when",
  "named",
  "called",
  "do",
  "does",
  "did",
  "is",
  "are",
  "was",
  "were",
  "as",
  "but",
  "if",
  "there",
  "via",
  "using",
  "through",
  "among",
];

/** Key phrases by their first word, longest first. */
const KEYS = readKeys();

function readKeys(): ReadonlyMap<string, readonly { readonly words: readonly string[]; readonly key: Key }[]> {
  const entries: { words: readonly string[]; key: Key }[] = [];
  const add = (phrase: string, key: Key): void => {
    entries.push({ words: phrase.split(" "), key });
  };
  for (const [phrase, name] of Object.entries(AGGREGATES)) add(phrase, { key: "aggregate", function: name });
  for (const [phrase, operator] of Object.entries(COMPARISONS)) add(phrase, { key: "compare", operator });
  for (const [phrase, descending] of Object.entries(ORDERS)) add(phrase, { key: "order", descending });
  for (const [phrase, at] of Object.entries(CONTAINS)) add(phrase, { key: "contains", at });
  for (const word of CLAUSES) add(word, { key: "clause", word });
  for (const [phrase, key] of Object.entries(PLAIN)) {
    if (key !== "aggregate" && key !== "compare" && key !== "order" && key !== "contains" && key !== "clause") {
      if (key !== "average_of") add(phrase, { key });
    }
  }
  const map = new Map<string, { readonly words: readonly string[]; readonly key: Key }[]>();
  for (const entry of entries) {
    const first = entry.words[0] ?? "";
    map.set(
      first,
      [...(map.get(first) ?? []), entry].sort((a, b) => b.words.length - a.words.length),
    );
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
