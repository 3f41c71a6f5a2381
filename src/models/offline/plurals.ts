/**
 * Singular and plural of English nouns as tables and questions use them: a short list, then rules. Names and questions
 * go through the same, so an odd singular does no harm. Pure: no I/O, no clock.
 */

/** Plurals that no rule makes, singular first. */
const IRREGULAR = new Map(
  (
    "man:men woman:women child:children person:people foot:feet index:indices analysis:analyses life:lives " +
    "shelf:shelves movie:movies cookie:cookies shoe:shoes alias:aliases cache:caches " +
    "series:series species:species news:news data:data media:media"
  )
    .split(" ")
    .map((pair): readonly [string, string] => {
      const [one = "", many = ""] = pair.split(":");
      return [many, one];
    }),
);

export function toSingular(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (/(ss|us|is|^(gas|alias|bias|atlas|canvas))$/.test(word) || !word.endsWith("s")) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /(ss|x|ch|sh|zz|o|[^aeo]us)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

export function toPlural(word: string): string {
  for (const [many, one] of IRREGULAR) if (one === word) return many;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|ch|sh|z)$/.test(word) ? `${word}es` : `${word}s`;
}
