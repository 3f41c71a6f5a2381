/** JSON values: read by a schema, and one canonical text for each. Pure. */
import type * as z from "zod";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Whether arrays and objects stand inside each other more than `depthMax` deep. Walks without recursion. */
export function isDeeperThan(value: unknown, depthMax: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= depthMax; depth += 1) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/** JSON text with object keys sorted by code unit at every depth: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return inner;
    const entries = Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return Object.fromEntries(entries);
  });
}

/** JSON text to what `schema` makes of it, or null when it is no JSON or does not fit; the caller says what it was. */
export function decodeJson<T>(text: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Torn text is told like any other that does not fit.
    return null;
  }
}

/**
 * What JSON text says; anything else, and text that is none, as it is. Some models send arguments as text, and a gateway
 * that leaves the type out still sent an answer.
 */
export function parseIfText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    // Whoever reads it by a schema tells it like any other that does not fit.
    return value;
  }
}
