/**
 * The head of a run, the one record that is overwritten: its state as JSON text, whatever its length.
 *
 * It is small in the ordinary case. While the text of a cut-off reply waits in it to be summarised it may be large, so it
 * is cut into parts like every other text. Leaves to others: what it means (agent/state.ts).
 */
import { cutIntoParts } from "./rows.ts";

/** Runs inside a transaction. */
export function writeHead(sql: SqlStorage, text: string): void {
  const [first = "", ...rest] = cutIntoParts(text);
  sql.exec("INSERT INTO head (id, state) VALUES (1, ?) ON CONFLICT DO UPDATE SET state = excluded.state", first);
  sql.exec("DELETE FROM parts WHERE kind = 'head'");
  rest.forEach((body, index) => {
    sql.exec("INSERT INTO parts (kind, number, part, body) VALUES ('head', 1, ?, ?)", index + 1, body);
  });
}

/** The text, or an empty one when there is none. */
export function readHead(sql: SqlStorage): string {
  const heads = sql.exec<{ state: string }>("SELECT state FROM head").toArray();
  const rest = sql.exec<{ body: string }>("SELECT body FROM parts WHERE kind = 'head' ORDER BY part").toArray();
  return [...heads.map((row) => row.state), ...rest.map((row) => row.body)].join("");
}
