/**
 * Adjectives that order rows: what each measures, and which end of the measure it means. `old` may look at an age
 * (more is older) or at a birth date (less is older). Pure: no I/O, no clock.
 */

/** One reading: a column word, and whether the adjective means its high end. */
export interface Reading {
  readonly attribute: string;
  readonly high: boolean;
}

export interface Adjective {
  readonly word: string;
  /** Tried in order; empty when only the column named in the question can tell (`highest capacity`). */
  readonly readings: readonly Reading[];
  /** The end of whatever column the question itself names next to it. */
  readonly high: boolean;
}

export type Degree = "plain" | "comparative" | "superlative";

/** Plain, comparative and superlative, then what they read: `+` the high end of that word, `-` the low end, `*` any figure. */
const ENTRIES: readonly string[] = (
  "old/older/oldest +age -birth -year -date," +
  "young/younger/youngest -age +birth +year +date," +
  "new/newer/newest +date +year," +
  "recent/later/latest +date +year," +
  "early/earlier/earliest -date -year," +
  "long/longer/longest +length +duration +height," +
  "short/shorter/shortest -length -duration -height," +
  "tall/taller/tallest +height," +
  "heavy/heavier/heaviest +weight," +
  "light/lighter/lightest -weight," +
  "expensive// +price +total," +
  "costly/costlier/costliest +price +total," +
  "/dearer/dearest +price +total," +
  "cheap/cheaper/cheapest -price -total," +
  "populous// +population," +
  "populated// +population," +
  "fast/faster/fastest +speed," +
  "slow/slower/slowest -speed," +
  "rich/richer/richest +gnp +salary +total," +
  "poor/poorer/poorest -gnp -salary -total," +
  "valuable// +total +price," +
  "good/better/best +rating," +
  "bad/worse/worst -rating," +
  "large/larger/largest +size +area +capacity +population *," +
  "big/bigger/biggest +size +area +capacity +population *," +
  "great/greater/greatest +size +area *," +
  "small/smaller/smallest -size -area -capacity -population *," +
  "high/higher/highest +height *," +
  "low/lower/lowest -height *"
).split(",");

const FORMS = readForms();

function readForms(): ReadonlyMap<string, { readonly adjective: Adjective; readonly degree: Degree }> {
  const map = new Map<string, { readonly adjective: Adjective; readonly degree: Degree }>();
  const degrees: readonly Degree[] = ["plain", "comparative", "superlative"];
  for (const entry of ENTRIES) {
    const [forms = "", ...words] = entry.split(" ");
    const [plain = "", comparative = "", superlative = ""] = forms.split("/");
    const high = words[0]?.startsWith("+") === true;
    const adjective: Adjective = {
      word: superlative === "" ? `most ${plain}` : superlative,
      high,
      readings: words.map((text) => ({
        attribute: text.replace(/^[+-]/, ""),
        high: text === "*" ? high : text.startsWith("+"),
      })),
    };
    [plain, comparative, superlative].forEach((form, index) => {
      const degree = degrees[index];
      if (form !== "" && degree !== undefined && !map.has(form)) map.set(form, { adjective, degree });
    });
  }
  return map;
}

/** The adjective a word is a form of. */
export function adjectiveOf(word: string): { readonly adjective: Adjective; readonly degree: Degree } | null {
  return FORMS.get(word) ?? null;
}

/** `older`, `oldest`. */
export function isDegree(word: string): boolean {
  return (adjectiveOf(word)?.degree ?? "plain") !== "plain";
}

/** `least expensive` is the other end of `most expensive`. */
export function oppositeOf(adjective: Adjective): Adjective {
  return {
    word: adjective.word.replace(/^most /, "least "),
    high: !adjective.high,
    readings: adjective.readings.map((reading) => ({ attribute: reading.attribute, high: !reading.high })),
  };
}
