/**
 * Form bodies (application/x-www-form-urlencoded) as Slack sends them, read from their raw bytes.
 *
 * `+` is a space, `%XX` a byte, and a field is UTF-8 or it is not text. The platform's own parser would put a replacement
 * character where a byte is wrong, and a question would be asked that nobody typed. Pure: no I/O, no clock.
 */

/** Fields by name. Null: the field's bytes are no UTF-8. A name that stands twice is left out: it says two things. */
export function parseForm(body: Uint8Array): ReadonlyMap<string, string | null> {
  const fields = new Map<string, string | null>();
  const repeated = new Set<string>();
  for (const pair of splitBytes(body, AMPERSAND)) {
    if (pair.length === 0) continue;
    const at = pair.indexOf(EQUALS);
    const name = decode(at === -1 ? pair : pair.subarray(0, at));
    if (name === null) continue;
    if (fields.has(name)) repeated.add(name);
    fields.set(name, at === -1 ? "" : decode(pair.subarray(at + 1)));
  }
  for (const name of repeated) fields.delete(name);
  return fields;
}

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

function splitBytes(bytes: Uint8Array, separator: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let start = 0;
  for (let at = bytes.indexOf(separator); at !== -1; at = bytes.indexOf(separator, start)) {
    pieces.push(bytes.subarray(start, at));
    start = at + 1;
  }
  return [...pieces, bytes.subarray(start)];
}

function decode(bytes: Uint8Array): string | null {
  const decoded = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const hex = byte === PERCENT ? String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0) : "";
    const isEscape = /^[0-9a-fA-F]{2}$/.test(hex);
    decoded[length] = isEscape ? Number.parseInt(hex, 16) : byte === PLUS ? SPACE : byte;
    length += 1;
    if (isEscape) at += 2;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(decoded.subarray(0, length));
  } catch {
    return null;
  }
}
