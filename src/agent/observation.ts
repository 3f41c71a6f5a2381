/**
 * The observation: the one envelope every tool returns and every model reads. Status first, a one-line summary that can
 * be acted on alone, small data, what to do next, and references to what is stored elsewhere (never its content).
 * Pure: no I/O, no clock.
 */
import * as z from "zod";
import { cutMiddle } from "../lib/bytes.ts";

/** Bytes of one observation's JSON as the model sees it. About 4,000 tokens: enough for 50 rows of ordinary width. */
export const OBSERVATION_BYTES_MAX = 16_000;

/** Of an error's cause: engines quote the whole name or value that they stumbled over. */
const CAUSE_CHARS_MAX = 1_000;
/** Of an action: the longest is a call of describe_tables with twenty names. */
const ACTION_CHARS_MAX = 2_000;

export const artifactSchema = z.strictObject({
  kind: z.literal("result"),
  /** Reference within the run, `r1`, `r2`, …; `read_result` and `GET /v1/runs/:id/results/:ref` take it. */
  ref: z.string(),
  /** Rows stored under the reference. */
  rows: z.int().min(0),
});

export const observationSchema = z.strictObject({
  status: z.enum(["success", "warning", "error"]),
  summary: z.string().min(1),
  data: z.record(z.string(), z.unknown()),
  next_actions: z.array(z.string()),
  artifacts: z.array(artifactSchema),
});

export type Artifact = z.infer<typeof artifactSchema>;
export type Observation = z.infer<typeof observationSchema>;

/** A successful observation. */
export function success(summary: string, data: Observation["data"] = {}, artifacts: Artifact[] = []): Observation {
  return { status: "success", summary, data, next_actions: [], artifacts };
}

/** Partial success, with a hint how to do better. */
export function warning(
  summary: string,
  nextActions: string[],
  data: Observation["data"] = {},
  artifacts: Artifact[] = [],
): Observation {
  return { status: "warning", summary, data, next_actions: nextActions, artifacts };
}

/** An error that the model can mend: the cause, and a safe next step. Head and tail of a long text say enough. */
export function failure(summary: string, nextActions: string[], data: Observation["data"] = {}): Observation {
  return {
    status: "error",
    summary: cutMiddle(summary, CAUSE_CHARS_MAX),
    data,
    next_actions: nextActions.map((action) => cutMiddle(action, ACTION_CHARS_MAX)),
    artifacts: [],
  };
}
