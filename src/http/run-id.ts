/**
 * Run ids: `run_` and 26 characters that nobody can guess and that say, to us alone, whose run it is.
 *
 * 16 characters are random (80 bits); 10 are taken from the hash of those and the caller's name (50 bits). So the id of
 * another caller's run, a mistyped one and a made-up one are all refused here, without waking an object, and all look the
 * same from outside. Pure: no I/O, no clock; the random bytes come in.
 */
import { sha256Hex } from "../lib/hash.ts";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const RANDOM_CHARS = 16;
const TAG_CHARS = 10;
const SHAPE = /^run_([a-z2-7]{16})([a-z2-7]{10})$/;

/** How many random bytes `createRunId` wants. */
export const RUN_ID_BYTES = RANDOM_CHARS;

export function createRunId(callerName: string, random: Uint8Array): string {
  const text = Array.from(random.subarray(0, RANDOM_CHARS), (byte) => ALPHABET[byte & 31]).join("");
  return `run_${text}${tagOf(callerName, text)}`;
}

/** True when `id` has our shape and was made for this caller. */
export function ownsRunId(callerName: string, id: string): boolean {
  const match = SHAPE.exec(id);
  const [, text = "", tag = ""] = match ?? [];
  return match !== null && tag === tagOf(callerName, text);
}

function tagOf(callerName: string, text: string): string {
  const digest = sha256Hex(`run id\n${text}\n${callerName}`);
  let tag = "";
  for (let index = 0; index < TAG_CHARS; index += 1) {
    tag += ALPHABET[Number.parseInt(digest.slice(index * 2, index * 2 + 2), 16) & 31];
  }
  return tag;
}
