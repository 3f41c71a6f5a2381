/**
 * `POST /v1/estimate`: what a question would cost, at most and most likely, before it is asked. No model is called, no run
 * is opened and nothing is held of the caller's budget; the schema is read as for `GET /v1/schema`.
 *
 * Owns: the public shape. Leaves to others: the arithmetic (agent/estimate.ts), what may be asked (ask.ts).
 */
import { Hono } from "hono/tiny";
import * as z from "zod";
import { estimateRun, SCHEMA_BYTES_SHOWN_MAX } from "../agent/estimate.ts";
import { modelInfoOf } from "../config/model-info.ts";
import { usdFromNano } from "../lib/money.ts";
import { readSchema, renderSchema } from "../sql/schema.ts";
import { askSchema, checkAsk } from "./ask.ts";
import { jsonBody } from "./body.ts";
import type { HttpEnv } from "./context.ts";
import { problem, refuse } from "./problems.ts";

export const estimateRequestSchema = askSchema.pick({ question: true, model: true, limits: true });

const usd = z.number().min(0);

export const estimateSchema = z.strictObject({
  model: z.string(),
  worst_case_usd: usd.meta({ description: "The run cannot cost more, whatever happens." }),
  expected_usd: usd.meta({ description: "A guess, from what questions of the project's own sets take." }),
  prompt_tokens_max: z.int().min(0).meta({ description: "Upper bound of the first prompt." }),
  expected_prompt_tokens: z.int().min(0),
  kept_back_usd: usd.meta({ description: "Of the budget, held back for the last call from the start." }),
  first_call_usd: usd
    .nullable()
    .meta({ description: "Reserved for the first call; null: it does not fit the budget, and the run stops at once." }),
});

export function createEstimateRoutes() {
  return new Hono<HttpEnv>().post("/", jsonBody(estimateRequestSchema), async (c) => {
    const { caller, config } = c.var;
    const checked = checkAsk(c.req.valid("json"), caller, config, new URL(c.req.url).hostname);
    if (!checked.ok) throw refuse(checked.error);
    const schema = await readSchema(c.env.DB, caller.scopes).catch(() => null);
    if (schema === null) {
      // The reason is the database's own and may quote a row: it is not shown.
      throw problem("unavailable", "The database could not be read: it is busy or not reachable.", {
        headers: { "retry-after": "5" },
      });
    }
    const { model, question, limits } = checked.value;
    const schemaText = renderSchema(schema, { bytesMax: SCHEMA_BYTES_SHOWN_MAX }).text;
    const estimate = estimateRun({ info: modelInfoOf(config, model), question, limits, schemaText });
    return c.json(
      {
        model,
        worst_case_usd: usdFromNano(estimate.worstCaseNanoUsd),
        expected_usd: usdFromNano(estimate.expectedNanoUsd),
        prompt_tokens_max: estimate.promptTokensMax,
        expected_prompt_tokens: estimate.expectedPromptTokens,
        kept_back_usd: usdFromNano(estimate.keptBackNanoUsd),
        first_call_usd: estimate.firstCallNanoUsd === null ? null : usdFromNano(estimate.firstCallNanoUsd),
      } satisfies z.infer<typeof estimateSchema>,
      200,
    );
  });
}
