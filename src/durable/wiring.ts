/**
 * From the settings of a run to the things that act: its model, the tools of this release, the text of its schema.
 *
 * Owns: which adapter speaks for which model id, and that a model without a key or a price is refused. Leaves to others:
 * the adapters (models/), the tools (tools/), the database (sql/), reading variables (config.ts).
 */

import type { LoopSettings } from "../agent/cycles.ts";
import type { Model } from "../agent/model.ts";
import { SCHEMA_BYTES_MAX } from "../agent/prompt.ts";
import type { Tool } from "../agent/tool.ts";
import { type Config, configOf, NO_MODEL, OFFLINE_MODEL } from "../config.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { createAnthropicModel } from "../models/anthropic.ts";
import { createNoModel } from "../models/no-model.ts";
import { createOfflineModel } from "../models/offline/model.ts";
import { createOpenAiCompatibleModel } from "../models/openai-compatible.ts";
import { lookUpModel, vendorOf } from "../models/prices.ts";
import { createDatabase } from "../sql/database.ts";
import { renderSchema } from "../sql/schema.ts";
import { createAskUserTool } from "../tools/ask-user.ts";
import { createDescribeTablesTool } from "../tools/describe-tables.ts";
import { createExecuteSqlTool } from "../tools/execute-sql.ts";
import { createFinalAnswerTool } from "../tools/final-answer.ts";
import { createListTablesTool } from "../tools/list-tables.ts";
import { createNotesTool } from "../tools/notes.ts";
import { createPlanTool } from "../tools/plan.ts";
import { createReadResultTool } from "../tools/read-result.ts";
import type { DurableBindings } from "./contract.ts";
import type { RunSettings } from "./settings.ts";
import { type Tracing, traceModel, traceTool } from "./spans.ts";

/** A database that takes longer to tell its schema will not answer queries either. */
const SCHEMA_TIMEOUT_MS = 15_000;

export interface Wiring {
  readonly tools: ReadonlyMap<string, Tool>;
  /** The model of the run, or for the person who asked, why it cannot be used. */
  readonly model: Result<Model, string>;
  /** How patient the loop is; absent: the built-in values. */
  readonly loop?: LoopSettings;
  /** Schema text for the system prompt, or for the person who asked, why the database cannot be read. */
  readSchema(): Promise<Result<string, string>>;
}

/** Throws a `ConfigError` when a variable is wrong. `tracing`: the platform's; absent: no spans. */
export function createWiring(
  env: DurableBindings,
  settings: Pick<RunSettings, "model" | "scopes" | "promptCache"> & { readonly id?: string },
  tracing?: Tracing,
): Wiring {
  const database = createDatabase(env.DB, settings.scopes, { now: Date.now });
  const tools = [
    createListTablesTool(database),
    createDescribeTablesTool(database),
    createExecuteSqlTool(database),
    createReadResultTool(),
    createFinalAnswerTool(),
    createAskUserTool(),
    createNotesTool(),
    createPlanTool(),
  ];
  const runId = settings.id ?? "";
  const config = configOf(env);
  const model = createModel(config, settings);
  const traced = tracing === undefined ? tools : tools.map((tool) => traceTool(tool, runId, tracing));
  return {
    tools: new Map(traced.map((tool) => [tool.name, tool])),
    model:
      tracing === undefined || !model.ok
        ? model
        : ok(traceModel(model.value, runId, providerOf(config, settings.model), tracing)),
    loop: config.loop,
    readSchema: async () => {
      try {
        const schema = await withinMs(SCHEMA_TIMEOUT_MS, database.schema());
        return ok(renderSchema(schema, { bytesMax: SCHEMA_BYTES_MAX }).text);
      } catch {
        // The reason is D1's own and may quote a row: it is not shown.
        return err(
          "The database could not be read when the run started: it is busy or not reachable. Ask again later.",
        );
      }
    },
  };
}

/** The offline model is nobody's service. */
function providerOf(config: Config, id: string): string {
  return id === OFFLINE_MODEL || id === NO_MODEL ? "querent" : vendorOf(id, config.prices);
}

function createModel(
  config: Config,
  { model: id, promptCache }: Pick<RunSettings, "model" | "promptCache">,
): Result<Model, string> {
  if (id === OFFLINE_MODEL) return ok(createOfflineModel());
  if (id === NO_MODEL) return ok(createNoModel());
  const info = lookUpModel(id, config.prices);
  if (!info.ok) return info;
  const vendor = vendorOf(id, config.prices);
  const { apiKey, baseUrl } = config[vendor];
  if (vendor === "anthropic") {
    if (apiKey === null) return err(`The model ${id} needs ANTHROPIC_API_KEY, which is not set.`);
    return ok(
      createAnthropicModel({ apiKey, baseUrl: baseUrl ?? undefined, info: info.value, prefixTtl: promptCache }),
    );
  }
  if (apiKey === null && baseUrl === null) {
    return err(`The model ${id} needs OPENAI_API_KEY or OPENAI_BASE_URL, and neither is set.`);
  }
  return ok(
    createOpenAiCompatibleModel({ apiKey: apiKey ?? undefined, baseUrl: baseUrl ?? undefined, info: info.value }),
  );
}

/** Rejects after `ms`: whoever asked is waiting. */
async function withinMs<T>(ms: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("too late")), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
