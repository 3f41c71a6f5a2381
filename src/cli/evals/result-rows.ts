/**
 * All stored rows of a result, page by page, over the public API.
 */
import * as z from "zod";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Door } from "../run-client.ts";
import type { Row } from "./grade.ts";

const pageSchema = z.looseObject({ rows: z.array(z.array(z.unknown())), next: z.string().nullable() });

/** More rows than any answer is judged by. */
const PAGES_MAX = 100;
const PAGE_ROWS = 1_000;

export async function readResultRows(door: Door, runId: string, ref: string): Promise<Result<readonly Row[], string>> {
  const rows: Row[] = [];
  const first = `/v1/runs/${encodeURIComponent(runId)}/results/${encodeURIComponent(ref)}?limit=${PAGE_ROWS}`;
  let address: string | null = first;
  for (let page = 0; page < PAGES_MAX && address !== null; page += 1) {
    const response = await door.fetch(address);
    if (!response.ok) return err(`the rows of ${ref} could not be read (status ${response.status})`);
    const parsed = pageSchema.safeParse(await response.json());
    if (!parsed.success) return err(`the rows of ${ref} are not as expected`);
    rows.push(...parsed.data.rows);
    address = parsed.data.next;
  }
  return ok(rows);
}
