/**
 * Idempotency keys of one caller: which request and which run a key stands for, for a day unless the door asks for longer.
 *
 * A key is bound before anything is done for it. What follows (admission, start) is safe to repeat for the same run, so
 * a second request with the key simply goes on with that run, also while the first is still being answered.
 */
import type { ClaimReply } from "./caller-contract.ts";

/** As long as clients of the draft standard may retry. Senders of webhooks retry for days. */
const CLAIM_MS = 24 * 60 * 60 * 1000;

export function claimKey(
  sql: SqlStorage,
  key: string,
  bodyHash: string,
  runId: string,
  now: number,
  keptMs: number = CLAIM_MS,
): ClaimReply {
  sql.exec("DELETE FROM claims WHERE expires_at <= ?", now);
  const query = "SELECT body_hash, run_id, expires_at FROM claims WHERE key = ?";
  const known = sql.exec<{ body_hash: string; run_id: string; expires_at: number }>(query, key).toArray()[0];
  if (known === undefined) {
    const expiresAt = now + keptMs;
    const insert = "INSERT INTO claims (key, body_hash, run_id, expires_at) VALUES (?, ?, ?, ?)";
    sql.exec(insert, key, bodyHash, runId, expiresAt);
    return { kind: "claimed", runId, expiresAt };
  }
  if (known.body_hash !== bodyHash) return { kind: "other_body" };
  return { kind: "same", runId: known.run_id, expiresAt: known.expires_at };
}
