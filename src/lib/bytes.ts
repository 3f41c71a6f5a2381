/** Sizes of text in UTF-8 bytes, and cuts that never split a character. Pure. */
const encoder = new TextEncoder();
// A byte order mark at the start is a character like any other: dropping it would make the cut no prefix.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false });

/** Length of `text` in UTF-8 bytes. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** The longest prefix of `text` that is at most `bytesMax` UTF-8 bytes long, whole characters only. */
export function cutToBytes(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  const bytes = encoder.encode(text);
  if (bytes.length <= bytesMax) return text;
  let end = Math.max(0, bytesMax);
  // 0b10xxxxxx is a continuation byte: step back to the start of the character it belongs to.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return decoder.decode(bytes.subarray(0, end));
}

/** Head and tail of a long text with a note of what was left out between, for error texts shown to a model. */
export function cutMiddle(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const head = Math.ceil(charsMax * 0.6);
  const tail = charsMax - head;
  return `${text.slice(0, head).toWellFormed()} … (${text.length - charsMax} characters left out) … ${text.slice(text.length - tail).toWellFormed()}`;
}
