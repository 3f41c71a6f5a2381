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

interface Entry {
  readonly forms: readonly [plain: string, comparative: string, superlative: string];
  readonly high: boolean;
  /** `+` reads the high end of that word, `-` the low end. */
  readonly readings: string;
}

const ENTRIES: readonly Entry[] = [
  { forms: ["old", "older", "oldest"], high: true, readings: "+age -birth -year -date" },
  { forms: ["", "elder", "eldest"], high: true, readings: "+age -birth" },
  { forms: ["young", "younger", "youngest"], high: false, readings: "-age +birth +year +date" },
  { forms: ["new", "newer", "newest"], high: true, readings: "+date +year" },
  { forms: ["recent", "later", "latest"], high: true, readings: "+date +year" },
  { forms: ["early", "earlier", "earliest"], high: false, readings: "-date -year" },
  { forms: ["long", "longer", "longest"], high: true, readings: "+length +duration +height" },
  { forms: ["short", "shorter", "shortest"], high: false, readings: "-length -duration -height" },
  { forms: ["tall", "taller", "tallest"], high: true, readings: "+height" },
  { forms: ["heavy", "heavier", "heaviest"], high: true, readings: "+weight" },
  { forms: ["light", "lighter", "lightest"], high: false, readings: "-weight" },
  { forms: ["expensive", "", ""], high: true, readings: "+price +total" },
  { forms: ["costly", "costlier", "costliest"], high: true, readings: "+price +total" },
  { forms: ["pricey", "pricier", "priciest"], high: true, readings: "+price +total" },
  { forms: ["cheap", "cheaper", "cheapest"], high: false, readings: "-price -total" },
  { forms: ["populous", "", ""], high: true, readings: "+population" },
  { forms: ["populated", "", ""], high: true, readings: "+population" },
  { forms: ["fast", "faster", "fastest"], high: true, readings: "+speed" },
  { forms: ["slow", "slower", "slowest"], high: false, readings: "-speed" },
  { forms: ["rich", "richer", "richest"], high: true, readings: "+gnp +salary +total" },
  { forms: ["poor", "poorer", "poorest"], high: false, readings: "-gnp -salary -total" },
  { forms: ["valuable", "", ""], high: true, readings: "+total +price" },
  { forms: ["good", "better", "best"], high: true, readings: "+rating" },
  { forms: ["bad", "worse", "worst"], high: false, readings: "-rating" },
  { forms: ["large", "larger", "largest"], high: true, readings: "+size +area +capacity +population *" },
  { forms: ["big", "bigger", "biggest"], high: true, readings: "+size +area +capacity +population *" },
  { forms: ["great", "greater", "greatest"], high: true, readings: "+size +area *" },
  { forms: ["small", "smaller", "smallest"], high: false, readings: "-size -area -capacity -population *" },
  { forms: ["little", "lesser", "littlest"], high: false, readings: "-size -area *" },
  { forms: ["high", "higher", "highest"], high: true, readings: "+height *" },
  { forms: ["low", "lower", "lowest"], high: false, readings: "-height *" },
  { forms: ["deep", "deeper", "deepest"], high: true, readings: "+depth" },
  { forms: ["wide", "wider", "widest"], high: true, readings: "+width" },
];

const FORMS = readForms();

function readForms(): ReadonlyMap<string, { readonly adjective: Adjective; readonly degree: Degree }> {
  const map = new Map<string, { readonly adjective: Adjective; readonly degree: Degree }>();
  const degrees: readonly Degree[] = ["plain", "comparative", "superlative"];
  for (const entry of ENTRIES) {
    const [plain, comparative, superlative] = entry.forms;
    const adjective: Adjective = {
      word: superlative === "" ? `most ${plain}` : superlative,
      high: entry.high,
      readings: entry.readings.split(" ").map((text) => ({
        attribute: text === "*" ? "*" : text.slice(1),
        high: text === "*" ? entry.high : text.startsWith("+"),
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

/** `least expensive` is the other end of `most expensive`. */
export function oppositeOf(adjective: Adjective): Adjective {
  return {
    word: adjective.word.replace(/^most /, "least "),
    high: !adjective.high,
    readings: adjective.readings.map((reading) => ({ attribute: reading.attribute, high: !reading.high })),
  };
}
