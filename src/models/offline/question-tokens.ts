/**
 * Cuts a question into tokens: words, numbers, quoted text, punctuation. Owns: what counts as one token (AC/DC, R&B,
 * 1,000.50, the possessive mark). Leaves to others: what tokens mean. Pure: no I/O, no clock.
 */
import { lemmaOf } from "./words.ts";

export interface Token {
  readonly kind: "word" | "number" | "quoted" | "possessive" | "mark";
  /** As written, without quotes. */
  readonly text: string;
  readonly lower: string;
  readonly lemma: string;
  /** For a number. */
  readonly value: number;
  /** Opens a sentence, so that its capital says nothing. */
  readonly opens: boolean;
}

const PIECES =
  /(?<quoted>(?<![\p{L}\p{N}])(?:'[^']*'(?![\p{L}\p{N}])|"[^"]*"|‘[^’]*’|“[^”]*”))|(?<date>\d{4}-\d{2}-\d{2})|(?<number>[$€£]?\d[\d,]*(?:\.\d+)?(?![\p{L}\p{N}])%?)|(?<mark>>=|<=|<>|!=|[>=<#]|[?.,;:!()])|(?<possessive>['’]s?(?![\p{L}\p{N}]))|(?<word>[\p{L}\p{N}_](?:[\p{L}\p{N}_]|[&/.+@-](?=[\p{L}\p{N}])|['’](?=(?!s\b)[\p{L}]))*)/gu;

/** Cuts `question`; contractions are written out (`don't` becomes `do not`). */
export function parseTokens(question: string): readonly Token[] {
  const plain = spellOutNames(question)
    .replace(/\b(ca|wo|do|does|did|has|have|had|is|are|was|were)n['’]t\b/gi, (_all, verb: string) => `${verb} not`)
    .replace(/^\s*add up\b/i, "sum of")
    .replace(
      /^(?:\s*please)?\s*(?:sort|order|(rank))\s+(.+?)\s+by\b/i,
      (_all, rank: string | undefined, what: string) =>
        `List ${what} ${rank === undefined ? "sorted by" : "in descending order of"}`,
    )
    .replace(/\b(?:vs\.?|versus|compared (?:to|with))\s+(.*?)([\s?.!]*)$/i, "and $1 compared$2")
    .replace(/\bsales ?(?=(?:rep(?:resentative)?|agent)s?\b)/gi, "")
    .replace(/\bdays? of (?:the )?week\b/gi, "weekday")
    .replace(/\b(dr|mrs?|ms|st|prof)\.(?=\s)/gi, "$1")
    .replace(/\bper cent\b/gi, "percent")
    .replace(
      /\b(most|fewest|least) first\b/gi,
      (_all, end: string) => `in ${/most/i.test(end) ? "de" : "a"}scending order`,
    )
    .replace(/\bout of stock\b/gi, "with stock = 0")
    .replace(/^((?!.*\bunits?\b).*)\b(are|is|still) in stock\b/gi, "$1$2 with stock > 0")
    .replace(/\b(best|worst|top)[ -]?selling\b/gi, "$1-selling")
    .replace(/,?\s*\b(?:along with|together with|as well as|and also)\b/gi, " and")
    .replace(/\b(what|who|where|how|when)['’]s\b/gi, "$1 is");
  const tokens: Token[] = [];
  let opens = true;
  for (const match of plain.matchAll(PIECES)) {
    const token = toToken(match.groups ?? {}, opens);
    if (token === null) continue;
    tokens.push(token);
    opens = token.kind === "mark" && /[.?!;:]/.test(token.text);
  }
  return tokens;
}

/** `first, middle and last names` becomes `first name, middle name and last name`. */
function spellOutNames(question: string): string {
  const list = /\b(first|middle|last)((?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:first|middle|last))+\s+names?\b/gi;
  return question.replace(list, (text) =>
    text.replace(/\s+names?$/i, "").replace(/\b(first|middle|last)\b/gi, "$1 name"),
  );
}

function toToken(groups: Readonly<Record<string, string | undefined>>, opens: boolean): Token | null {
  const make = (kind: Token["kind"], text: string, value = Number.NaN): Token => ({
    kind,
    text,
    lower: text.toLowerCase(),
    lemma: lemmaOf(text),
    value,
    opens,
  });
  if (groups.quoted !== undefined) return make("quoted", groups.quoted.slice(1, -1).trim());
  if (groups.date !== undefined) return make("quoted", groups.date);
  if (groups.number !== undefined) {
    const digits = groups.number.replace(/[$€£,%]/g, "");
    return make("number", digits, Number(digits));
  }
  if (groups.mark !== undefined) return make("mark", groups.mark);
  if (groups.possessive !== undefined) return make("possessive", "'s");
  if (groups.word !== undefined) return make("word", groups.word);
  return null;
}

/** True when the token is written with a capital that the start of a sentence does not explain. */
export function isCapitalised(token: Token): boolean {
  return token.kind === "word" && /^\p{Lu}/u.test(token.text);
}
