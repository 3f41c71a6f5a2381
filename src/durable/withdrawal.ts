/**
 * Takes back the admission of a run that never began: its money and its place are free again, and the list of runs does
 * not show it. A run that has settled stays as it is. Synchronous, like the rest of the ledger (ledger.ts).
 */
import { DAY_MS, type RunRow } from "./ledger.ts";

export function withdrawRun(sql: SqlStorage, id: string): void {
  const query = "SELECT * FROM runs WHERE id = ? AND check_at IS NOT NULL";
  const open = sql.exec<RunRow>(query, id).toArray()[0];
  if (open === undefined) return;
  sql.exec("DELETE FROM runs WHERE number = ?", open.number);
  sql.exec("UPDATE days SET held = held - ? WHERE day = ?", open.reserved, Math.floor(open.admitted_at / DAY_MS));
}
