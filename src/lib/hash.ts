/**
 * SHA-256 as lower-case hex, synchronous so that pure code can use it (Web Crypto's is asynchronous).
 * Content addresses and signatures only; secrets are compared in http/, with Web Crypto. Pure.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** SHA-256 of the UTF-8 bytes of `text`: 64 hex digits. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
