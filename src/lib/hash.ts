/**
 * SHA-256 as lower-case hex, synchronous so that pure code can use it (Web Crypto's is asynchronous).
 * Content addresses and signatures only; secrets are compared in http/, with Web Crypto. Pure.
 *
 * `node:crypto` is the platform's own in Node and, under `nodejs_compat`, in workerd: compiled code, and nothing to bring.
 */
import { hash } from "node:crypto";

/** SHA-256 of the UTF-8 bytes of `text`: 64 hex digits. */
export function sha256Hex(text: string): string {
  return hash("sha256", text, "hex");
}
