/** Peers that are on npm. They are installed apart (test/bench/package.json), so that nobody who uses the product pays. */
import type { Contender } from "./contender.ts";

export async function openPeers(): Promise<readonly Contender[]> {
  return [];
}
