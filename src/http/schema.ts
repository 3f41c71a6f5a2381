/**
 * `GET /v1/schema`: the tables, columns, keys and sample values that the caller may read, as the model is shown them.
 *
 * Owns: the public shape. Leaves to others: what scopes hide and mask (sql/schema.ts). Read from the database each time,
 * in a few round trips: the edge keeps no state, and a browser may keep the answer for a minute.
 */
import { Hono } from "hono/tiny";
import * as z from "zod";
import { type DatabaseSchema, readSchema } from "../sql/schema.ts";
import type { HttpEnv } from "./context.ts";
import { problem } from "./problems.ts";

const CACHE_SECONDS = 60;

const columnSchema = z.strictObject({
  name: z.string(),
  type: z.string().meta({ description: "As declared; may be empty." }),
  primary_key: z.int().min(0).meta({ description: "Position in the primary key from 1, or 0." }),
  not_null: z.boolean(),
  generated: z.boolean(),
  masked: z.boolean().meta({ description: "Its values are hidden from you; it can be counted and compared to NULL." }),
  references: z.strictObject({ table: z.string(), column: z.string() }).nullable(),
  values: z.array(z.string()).nullable().meta({ description: "Values of a text column that has few; else null." }),
  has_more_values: z.boolean(),
});

export const databaseSchema = z.strictObject({
  tables: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(["table", "view"]),
      rows: z.int().min(0).nullable().meta({ description: "Null when unknown." }),
      has_more_rows: z.boolean().meta({ description: "True when counting stopped at `rows`." }),
      tags: z.array(z.string()),
      columns: z.array(columnSchema),
    }),
  ),
});

export function createSchemaRoutes() {
  return new Hono<HttpEnv>().get("/", async (c) => {
    const schema = await readSchema(c.env.DB, c.var.caller.scopes).catch(() => null);
    if (schema === null) {
      // The reason is the database's own and may quote a row: it is not shown.
      throw problem("unavailable", "The database could not be read: it is busy or not reachable.", {
        headers: { "retry-after": "5" },
      });
    }
    c.header("cache-control", `private, max-age=${CACHE_SECONDS}`);
    c.header("vary", "authorization", { append: true });
    return c.json(toPublicSchema(schema), 200);
  });
}

function toPublicSchema(schema: DatabaseSchema): z.infer<typeof databaseSchema> {
  return {
    tables: schema.tables.map((table) => ({
      name: table.name,
      kind: table.kind,
      rows: table.rows,
      has_more_rows: table.hasMoreRows,
      tags: [...table.tags],
      columns: table.columns.map((column) => ({
        name: column.name,
        type: column.type,
        primary_key: column.keyPosition,
        not_null: column.notNull,
        generated: column.generated,
        masked: column.masked,
        references: column.references,
        values: column.values === null ? null : [...column.values],
        has_more_values: column.hasMoreValues,
      })),
    })),
  };
}
