/**
 * Limits and prices of a model that a caller may name, as the settings have them. The offline model is free.
 * Pure: no I/O, no clock.
 */
import type { ModelInfo } from "../agent/model.ts";
import { type Config, OFFLINE_MODEL } from "../config.ts";
import { assert } from "../lib/assert.ts";
import { lookUpModel } from "../models/prices.ts";

const FREE: ModelInfo = {
  id: OFFLINE_MODEL,
  contextWindow: 1_000_000,
  maxOutputTokens: 8_192,
  priceMultiplierMax: 1,
  tiers: [{ abovePromptTokens: 0, input: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 0 }],
};

/** `id` is one of the models of `config`: every one of them has a price. */
export function modelInfoOf(config: Pick<Config, "prices">, id: string): ModelInfo {
  if (id === OFFLINE_MODEL) return FREE;
  const info = lookUpModel(id, config.prices);
  assert(info.ok, "a model that may be named has a price");
  return info.value;
}
