/**
 * Exported transcripts: the JSON lines of `GET /v1/runs/:id/transcript`, read back with nothing taken for granted.
 *
 * Owns: the shape of a line as this reader needs it; a line of a kind it does not know is left out, a line that is no
 * JSON is an error that names it. Leaves to others: what the entries mean (agent/postmortem.ts, agent/replay.ts).
 */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { err, ok, type Result } from "../../lib/result.ts";
import { messageOf } from "../sqlite-text.ts";

const entrySchema = z.looseObject({ kind: z.string() });
const runSchema = z.looseObject({
  id: z.string(),
  model: z.string(),
  outcome: z.string().nullable(),
  stop_reason: z.string().nullable(),
  receipt: z.looseObject({ cost_usd: z.number() }),
});
const eventSchema = z.looseObject({ type: z.string() });

export interface Transcript {
  readonly run: z.infer<typeof runSchema>;
  readonly events: readonly z.infer<typeof eventSchema>[];
  /** Every entry, in order. */
  readonly entries: readonly z.infer<typeof entrySchema>[];
}

/** The error names the file and the line. */
export function readTranscriptFile(path: string): Result<Transcript, string> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    return err(`${path} cannot be read: ${messageOf(error)}`);
  }
  const parsed = parseTranscript(text);
  return parsed.ok ? parsed : err(`${path}: ${parsed.error}`);
}

export function parseTranscript(text: string): Result<Transcript, string> {
  const entries: z.infer<typeof entrySchema>[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      entries.push(entrySchema.parse(JSON.parse(line)));
    } catch {
      return err(`line ${index + 1} is not a line of a transcript.`);
    }
  }
  const run = runSchema.safeParse(entries.find((entry) => entry.kind === "run")?.run);
  if (!run.success) return err("there is no run in it: it is not a transcript, or its first line is missing.");
  const events = entries.flatMap((entry) => {
    const event = eventSchema.safeParse(entry.kind === "event" ? entry.event : null);
    return event.success ? [event.data] : [];
  });
  return ok({ run: run.data, events, entries });
}
