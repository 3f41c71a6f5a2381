/**
 * Words: how a name or a word of a question is reduced so that the two can meet. Names are split at case changes,
 * underscores and spaces; words lose plural and verb endings; a small table says which words mean much the same.
 * Leaves to others: what a word refers to (linking.ts). Pure: no I/O, no clock.
 */

import { toPlural, toSingular } from "./plurals.ts";

/** Abbreviations common in column names, each written out. */
const ABBREVIATIONS: ReadonlyMap<string, readonly string[]> = new Map(
  (
    "fname first name, lname last name, firstname first name, lastname last name, surname last name, " +
    "fullname full name, stu student, emp employee, cust customer, dept department, qty quantity, " +
    "amt amount, num number, nbr number, desc description, dob birth date, birthdate birth date, " +
    "birthday birth date, tel phone, yr year, indep independence, addr address, zipcode zip code, " +
    "postcode postal code, unitprice unit price, lang language, pop population, avg average, " +
    "ms millisecond, sec second, secs second, mins minute"
  )
    .split(", ")
    .map((entry) => entry.split(" "))
    .map(([short = "", ...words]) => [short, words]),
);

/** Words of one line mean much the same when they name a table or a column. */
const SYNONYM_GROUPS: readonly string[] = (
  "price cost expensive cheap charge fee," +
  "total amount sum value revenue spending turnover spent spend worth bill," +
  "length duration millisecond long runtime time," +
  "total revenue sale turnover earning," +
  "millisecond second minute hour duration," +
  "size byte capacity," +
  "area size," +
  "country nation nationality," +
  "city town," +
  "state province county region," +
  "location place address city country," +
  "name title call label," +
  "phone telephone mobile cell," +
  "email mail," +
  "zip postcode postal," +
  "birth born birthday birthdate," +
  "hire join employ," +
  "hire start begin," +
  "job title position role," +
  "employee staff worker," +
  "employee rep representative agent," +
  "customer client buyer user," +
  "invoice bill purchase order sale," +
  "order purchase sale buy bought," +
  "buy bought purchase invoice," +
  "artist band musician singer performer group," +
  "track song tune," +
  "album record," +
  "genre style category kind," +
  "type kind category sort," +
  "product item good article," +
  "supplier vendor provider," +
  "shipper carrier," +
  "population inhabitant person resident," +
  "quantity unit copy number," +
  "quantity amount," +
  "date day when time," +
  "description detail describe," +
  "detail line item," +
  "salary wage pay paid earn earning income," +
  "student pupil," +
  "teacher professor instructor," +
  "course class," +
  "manager boss supervisor report," +
  "weight heavy weigh," +
  "height tall," +
  "age old," +
  "gender sex," +
  "company firm organization organisation business," +
  "movie film," +
  "rating score grade star," +
  "shop store," +
  "independence independent founded," +
  "language speak spoken," +
  "pet animal," +
  "stock inventory," +
  "freight shipping," +
  "composer writer compose written," +
  "graduate left leave," +
  "head leader president"
).split(",");

function readSynonyms(): ReadonlyMap<string, ReadonlySet<string>> {
  const map = new Map<string, Set<string>>();
  for (const line of SYNONYM_GROUPS) {
    const group = line.split(" ").map((word) => lemmaOf(word));
    for (const word of group) {
      const known = map.get(word) ?? new Set<string>();
      for (const other of group) known.add(other);
      map.set(word, known);
    }
  }
  return map;
}

/** Words met before, since the rules of plurals are slow and one question asks for the same words thousands of times. */
const REMEMBERED_WORDS_MAX = 5_000;

function remember(make: (word: string) => string): (word: string) => string {
  const known = new Map<string, string>();
  return (word) => {
    const found = known.get(word);
    if (found !== undefined) return found;
    if (known.size >= REMEMBERED_WORDS_MAX) known.clear();
    const made = make(word);
    known.set(word, made);
    return made;
  };
}

/** The lower-case singular. The same for names and for questions, so an odd singular does no harm. */
export const lemmaOf = remember(makeLemma);

/** A crude root shared by a verb and its nouns: `enrolled`, `enrolment` and `enrollments` are one. */
export const stemOf = remember(makeStem);

const SYNONYMS = readSynonyms();

function makeLemma(word: string): string {
  const lower = word.toLowerCase();
  if (lower.length < 4 || /[^a-z]/.test(lower) || /(ss|us|is)$/.test(lower)) return lower === "men" ? "man" : lower;
  return toSingular(lower);
}

function makeStem(word: string): string {
  const lemma = lemmaOf(word);
  if (lemma.length < 5) return lemma.replace(/e$/, "");
  const verb = withoutEnding(lemma, ["ing", "ed", "ly"]);
  const stem = withoutEnding(verb, ["ment", "ion", "er", "ence"]);
  return stem.replace(/([b-df-hj-np-tv-z])\1$/, "$1").replace(/e$/, "");
}

function withoutEnding(word: string, endings: readonly string[]): string {
  const ending = endings.find((each) => word.endsWith(each) && word.length - each.length >= 3);
  return ending === undefined ? word : word.slice(0, -ending.length);
}

/** How well two lemmas agree: 1 the same, less for one root or a synonym, 0 for strangers. */
export function likeness(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length > 3 && b.length > 3 && stemOf(a) === stemOf(b)) return 0.9;
  return SYNONYMS.get(a)?.has(b) === true ? 0.75 : 0;
}

/** `BillingCountry`, `billing_country` and `Billing Country` all give `["billing", "country"]`. */
export function wordsOfName(name: string, dictionary: ReadonlySet<string> = new Set()): readonly string[] {
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== "");
  const words: string[] = [];
  for (const part of parts) {
    const lower = part.toLowerCase();
    const written = ABBREVIATIONS.get(lower);
    if (written !== undefined) words.push(...written);
    else words.push(...splitCompound(lower, dictionary).map((word) => lemmaOf(word)));
  }
  return words;
}

/** A name for people: `BillingCountry` is `billing country`. */
export function readableName(name: string): string {
  const spaced = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .replace(/[_\s]+/g, " ")
    .trim();
  return spaced === "" ? name : spaced.toLowerCase();
}

/** `MediaType` is `media types`; with a count of 1 it stays singular. */
export function pluralName(name: string, count = 2): string {
  const words = readableName(name).split(" ");
  const last = words.pop() ?? "";
  return [...words, count === 1 ? toSingular(last) : toPlural(toSingular(last))].join(" ");
}

/** Takes `countrylanguage` apart when both halves are words that the schema itself uses. */
function splitCompound(word: string, dictionary: ReadonlySet<string>): readonly string[] {
  if (word.length < 8) return [word];
  for (let cut = 4; cut <= word.length - 4; cut += 1) {
    const head = word.slice(0, cut);
    const tail = word.slice(cut);
    if (lemmaOf(tail).length > 3 && dictionary.has(head) && dictionary.has(lemmaOf(tail))) return [head, tail];
  }
  return [word];
}
