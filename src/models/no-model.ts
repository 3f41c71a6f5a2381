/**
 * What stands at the model's place in a run that follows a stored plan: it costs nothing, and answers nothing. Nobody
 * asks it; were it asked all the same, the run would end and say so. Pure: no I/O, no clock.
 */
import type { Model } from "../agent/model.ts";

const FREE = { input: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 0 };

export function createNoModel(): Model {
  return {
    info: {
      id: "none",
      contextWindow: 1_000_000,
      maxOutputTokens: 128_000,
      tiers: [{ abovePromptTokens: 0, ...FREE }],
      priceMultiplierMax: 1,
    },
    boundInputTokens: () => 0,
    countInputTokens: async () => 0,
    complete: async () => ({
      kind: "fatal",
      code: "no_model",
      status: null,
      retryAfterMs: null,
      message: "This run follows a stored plan and asks no model. Ask the question anew.",
      unbilled: true,
      requestId: null,
    }),
  };
}
