/**
 * The shapes that the API answers with, beside the run itself (agent/view.ts) and what each route takes in.
 * They describe; a test checks real answers against them. Pure.
 */
import * as z from "zod";
import { publicRunSchema } from "../agent/view.ts";
import { PROBLEMS } from "./problems.ts";

const count = z.int().min(0);

export const problemSchema = z.looseObject({
  type: z.string().meta({ description: "A URI that names the kind of problem." }),
  title: z.string(),
  status: z.int(),
  code: z.enum(Object.keys(PROBLEMS)).meta({ description: "Stable: switch on this, never on a text." }),
  detail: z.string().meta({ description: "What was wrong and what to do, for a person." }),
  errors: z
    .array(
      z.strictObject({
        detail: z.string(),
        pointer: z.string().optional().meta({ description: "A place in the body, as a JSON pointer." }),
        parameter: z.string().optional(),
        header: z.string().optional(),
      }),
    )
    .optional()
    .meta({ description: "What is wrong where: the first 20 faults at most." }),
});

/** A run in the list; the whole of it is at its own address. */
export const listedRunSchema = z.strictObject({
  id: z.string(),
  question: z.string().meta({ description: "Its first 200 characters." }),
  outcome: z
    .enum([...publicRunSchema.shape.outcome.unwrap().options, "lost"])
    .nullable()
    .meta({ description: "Null while the run goes on. `lost`: it never started, or nobody can say how it ended." }),
  cost_usd: z.number(),
  reserved_usd: z.number().meta({ description: "Held for the run while it goes on." }),
  links: z.strictObject({ self: z.string() }),
  created_at: z.string(),
});

export const runListSchema = z.strictObject({ runs: z.array(listedRunSchema), next_cursor: z.string().nullable() });

export const resultPageSchema = z.strictObject({
  ref: z.string(),
  sha256: z.string(),
  sql: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.unknown())).meta({
    description:
      "Cells: JSON values, or an object with `type` where JSON would lose something (large integers, BLOBs).",
  }),
  from: z.int().min(1).meta({ description: "Number of the first row here, from 1." }),
  stored_rows: count,
  total_rows: count.nullable().meta({ description: "Null when nobody counted." }),
  truncated: z.boolean().meta({ description: "True when rows, cells or bytes were cut." }),
  next: z.string().nullable().meta({ description: "Address of the next page." }),
});

/** What a sender of webhooks gets: where the run is, nothing of what is in it. */
export const acceptedSchema = z.strictObject({ id: z.string(), links: z.record(z.string(), z.string()) });

export const healthSchema = z.strictObject({ status: z.literal("ok"), model: z.string() });
