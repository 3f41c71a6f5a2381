/** Nearest names by edit distance, for "did you mean". Pure. */

/** Up to `max` of `names` within a third of the wanted length (at least 2 edits), nearest first; case is ignored. */
export function nearestNames(wanted: string, names: readonly string[], max: number): string[] {
  const folded = wanted.toLowerCase();
  const bound = Math.max(2, Math.floor(folded.length / 3));
  const scored = names.map((name) => ({ name, distance: nameDistance(folded, name.toLowerCase(), bound) }));
  const near = scored.filter(({ distance }) => distance <= bound);
  return near
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, max)
    .map(({ name }) => name);
}

function nameDistance(wanted: string, name: string, bound: number): number {
  // One name inside the other (order, orders, order_lines) is near whatever the lengths.
  if (wanted.length >= 3 && name.length >= 3 && (name.includes(wanted) || wanted.includes(name))) return 1;
  return Math.abs(wanted.length - name.length) > bound ? bound + 1 : editDistance(wanted, name);
}

/** Levenshtein distance: single-character insertions, deletions and replacements. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
