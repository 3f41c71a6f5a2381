/**
 * The closed word lists of the question language: key phrases, number words, months, demonyms, and words that carry
 * no meaning of their own. Leaves to others: order in a sentence (read-*.ts). Pure: no I/O, no clock.
 */
import { expand } from "./keys.ts";

const NUMBER_WORDS: readonly string[] =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split(" ");

const TENS: Readonly<Record<string, number>> = {
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  hundred: 100,
  dozen: 12,
};

const SCALES: Readonly<Record<string, number>> = {
  hundred: 100,
  thousand: 1_000,
  k: 1_000,
  million: 1_000_000,
  m: 1_000_000,
  billion: 1_000_000_000,
};

export function numberWord(word: string): number | null {
  const index = NUMBER_WORDS.indexOf(word);
  return index >= 0 ? index : (TENS[word] ?? null);
}

export function scaleOf(word: string): number | null {
  return SCALES[word] ?? null;
}

const MONTHS: readonly string[] =
  "january february march april may june july august september october november december".split(" ");

/** 1 to 12, or null. `may` counts only with a capital, which the caller checks. */
export function monthOf(word: string): number | null {
  const lower = word.toLowerCase();
  const index = MONTHS.findIndex((month) => month === lower || (lower.length === 3 && month.startsWith(lower)));
  return index < 0 ? null : index + 1;
}

/** The spans of time that figures are told by, with the adjective of each. */
const PERIODS = {
  year: "yearly",
  quarter: "quarterly",
  month: "monthly",
  week: "weekly",
  weekday: "",
  day: "daily",
} as const;

export type PeriodUnit = keyof typeof PERIODS;

/** `month`, `monthly`, `annual`. */
export function periodOfWord(word: string): PeriodUnit | null {
  const spelt = word.replace(/^(annual|annually|per-annum)$/, "yearly");
  for (const unit of ["year", "quarter", "month", "week", "weekday", "day"] as const)
    if (unit === spelt || PERIODS[unit] === spelt) return unit;
  return null;
}

const DEMONYMS: Readonly<Record<string, string>> = {
  french: "France",
  german: "Germany",
  italian: "Italy",
  spanish: "Spain",
  portuguese: "Portugal",
  dutch: "Netherlands",
  british: "United Kingdom",
  english: "England",
  american: "USA",
  canadian: "Canada",
  brazilian: "Brazil",
  mexican: "Mexico",
  argentine: "Argentina",
  argentinian: "Argentina",
  chilean: "Chile",
  indian: "India",
  chinese: "China",
  japanese: "Japan",
  korean: "South Korea",
  australian: "Australia",
  austrian: "Austria",
  swiss: "Switzerland",
  belgian: "Belgium",
  danish: "Denmark",
  swedish: "Sweden",
  norwegian: "Norway",
  finnish: "Finland",
  polish: "Poland",
  czech: "Czech Republic",
  hungarian: "Hungary",
  greek: "Greece",
  turkish: "Turkey",
  russian: "Russia",
  irish: "Ireland",
  scottish: "Scotland",
  african: "Africa",
  asian: "Asia",
  european: "Europe",
  egyptian: "Egypt",
  caribbean: "Caribbean",
};

/** Other spellings of one place or sex, tried when the word itself is not found. */
const ALIASES: readonly (readonly [words: RegExp, spellings: readonly string[]])[] = [
  [/^(usa|us|u\.s\.|american?|united states)$/, ["USA", "United States", "US", "United States of America"]],
  [/^(uk|britain|british|united kingdom)$/, ["United Kingdom", "UK", "Great Britain"]],
  [/^(female|woman|girl)$/, ["F", "female"]],
  [/^(male|boy)$/, ["M", "male"]],
];

/** What else a value may be written as, the word itself first. */
export function spellingsOf(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const place = DEMONYMS[lower];
  return [text, ...(ALIASES.find(([words]) => words.test(lower))?.[1] ?? []), ...(place === undefined ? [] : [place])];
}

export function isDemonym(word: string): boolean {
  return DEMONYMS[word.toLowerCase()] !== undefined;
}

/** Words for what was taken or spent, whatever the schema calls it. */
const MONEY_WORDS = /^(sale|revenue|turnover|spent|spend|spending|earning|income|paid|pay|money|earned|sold|worth)$/;

export function isMoneyWord(lemma: string): boolean {
  return MONEY_WORDS.test(lemma);
}

/** Words passed over: politeness, articles, pronouns, and verbs that say nothing about which column is meant. */
export const EMPTY_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the all any some me usd? you i we our my your they them their his her its it he she him ones? this " +
    "these those please can could would will should may might must show list gives? tell find returns? gets? " +
    "display present provide name identify fetch compute calculate want know like see whats? who how why whom " +
    "what's also only just ever so together still currently current kind sort information info data " +
    "record(s|ed)? entry entries rows? be been being am there here live(s|d)? living comes? came coming " +
    "own(s|ing|ed)? raised? belong(s|ing|ed)? play(s|ing|ed)? contain(s|ed)? include(s|d)? place(s|d)? makes? " +
    "made making takes? taken took gave given receive(s|d)? got appear(s|ed)? exists? happen happened occur " +
    "occurred located? resides? residing work(s|ing|ed)? use(s|d)? using holds? held keep runs? go goes went " +
    "put perform(s|ed)? have having do done says? said mean database tables? dollars? euros? respectively " +
    "along well into out up down off about each other another same such many much very too than then now " +
    "today available total overall whose per either neither nor yet while across around assigned associated " +
    "related corresponding listed registered stored someone anybody anyone everyone next previous sorted " +
    "released running compared? comparison offer(s|ed)? generate(s|d)? wrote write becomes? became wins? won " +
    "looks? break breakdown"
  )
    .split(" ")
    .flatMap(expand),
);
