/**
 * Dates and periods as people write them: 2023, March 2023, 2023-03-05, 5 March 2023, Q1 2023. A period is a half-open
 * range of ISO days, which compares rightly with every ISO text, with a time or without. Pure: no I/O, no clock.
 */
import type { Token } from "./question-tokens.ts";
import { isMoneyWord, monthOf } from "./vocabulary.ts";

export interface Period {
  /** First day, `YYYY-MM-DD`. */
  readonly from: string;
  /** The day after the last. */
  readonly to: string;
  /** Set when the period is one whole year. */
  readonly year: number | null;
}

/** The period that starts at token `at`, with the tokens it takes. */
export function readDate(
  tokens: readonly Token[],
  at: number,
): { readonly date: Period; readonly text: string; readonly length: number } | null {
  const token = tokens[at];
  if (token === undefined) return null;
  const done = (date: Period, length: number) => ({
    date,
    length,
    text: tokens
      .slice(at, at + length)
      .map((next) => next.text)
      .join(" "),
  });
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(token.text);
  if (iso !== null) return done(dayPeriod(Number(iso[1]), Number(iso[2]), Number(iso[3])), 1);
  const quarter = /^q([1-4])$/.exec(token.lower);
  if (quarter !== null && isYear(tokens[at + 1])) {
    const first = (Number(quarter[1]) - 1) * 3 + 1;
    return done({ ...monthPeriod(tokens[at + 1]?.value ?? 0, first, 3), year: null }, 2);
  }
  return readMonth(tokens, at, done) ?? readYear(tokens, at, done);
}

type Done = (date: Period, length: number) => { readonly date: Period; readonly text: string; readonly length: number };

function readMonth(tokens: readonly Token[], at: number, done: Done): ReturnType<Done> | null {
  const [a, b, c, d] = tokens.slice(at, at + 4);
  if (a === undefined || b === undefined) return null;
  const month = a.kind === "word" && /^\p{Lu}/u.test(a.text) ? monthOf(a.text) : null;
  // `between January and March 2022`: the year is said once.
  if (
    month !== null &&
    c?.kind === "word" &&
    monthOf(c.text) !== null &&
    isYear(d) &&
    /^(and|to|until|through|-)$/.test(b.lower)
  )
    return done(monthPeriod(d?.value ?? 0, month, 1), 1);
  if (month !== null && isYear(b)) return done(monthPeriod(b.value, month, 1), 2);
  if (month !== null && b.lower === "of" && isYear(c)) return done(monthPeriod(c?.value ?? 0, month, 1), 3);
  if (month !== null && isDay(b) && c?.text === "," && isYear(d))
    return done(dayPeriod(d?.value ?? 0, month, b.value), 4);
  if (month !== null && isDay(b) && isYear(c)) return done(dayPeriod(c?.value ?? 0, month, b.value), 3);
  const later = b.kind === "word" ? monthOf(b.text) : null;
  if (isDay(a) && later !== null && isYear(c)) return done(dayPeriod(c?.value ?? 0, later, a.value), 3);
  return null;
}

/** A bare four-digit number is a year only where the words before it say so. */
function readYear(tokens: readonly Token[], at: number, done: Done): ReturnType<Done> | null {
  const token = tokens[at];
  if (!isYear(token) || token === undefined) return null;
  const before = tokens[at - 1]?.lower ?? "";
  const earlier = tokens
    .slice(Math.max(0, at - 6), at)
    .some((previous) => /^(year|years|in|since|during|between|from)$/.test(previous.lower));
  const joined = /^(and|or|to|-|vs|versus)$/.test(before) && (earlier || readYear(tokens, at - 2, done) !== null);
  const spoken = /^(in|since|during|year|years|until|of|from|through|throughout|for|both)$/.test(before) || joined;
  // `2023 revenue`
  const sales = isMoneyWord(tokens[at + 1]?.lemma ?? "");
  if (!spoken && !sales && !/^(after|before|between)$/.test(before)) return null;
  return done({ from: `${token.text}-01-01`, to: `${token.value + 1}-01-01`, year: token.value }, 1);
}

function isYear(token: Token | undefined): boolean {
  return token?.kind === "number" && /^(1[5-9]|20|21)\d\d$/.test(token.text);
}

function isDay(token: Token | undefined): boolean {
  return token?.kind === "number" && Number.isInteger(token.value) && token.value >= 1 && token.value <= 31;
}

function monthPeriod(year: number, month: number, months: number): Period {
  const after = month + months;
  const to = after > 12 ? `${year + 1}-${pad(after - 12)}-01` : `${year}-${pad(after)}-01`;
  return { from: `${year}-${pad(month)}-01`, to, year: null };
}

function dayPeriod(year: number, month: number, day: number): Period {
  const next = new Date(Date.UTC(year, month - 1, day + 1)).toISOString().slice(0, 10);
  return { from: `${year}-${pad(month)}-${pad(day)}`, to: next, year: null };
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
