/** A text as a sentence of its own: with a full stop, unless it ends as a sentence does. Pure. */
export function toSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
