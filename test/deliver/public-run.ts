/** Finished runs as the API shows them, for whoever tells people about them. */
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX, resolveLimits } from "../../src/agent/limits.ts";
import { createState } from "../../src/agent/state.ts";
import { type PublicQuery, type PublicRun, toPublicRun } from "../../src/agent/view.ts";

export const NOW = Date.UTC(2026, 10, 30, 12);
const ID = "run_aaaaaaaaaaaaaaaabbbbbbbbbb";

export function query(parts: Partial<PublicQuery> = {}): PublicQuery {
  return {
    sql: "SELECT Country, sum(Total) AS spent FROM Invoice GROUP BY Country",
    result: "r1",
    rows: 24,
    rows_read: 412,
    duration_ms: 3,
    error: null,
    ...parts,
  };
}

export function publicRun(parts: Partial<PublicRun> = {}): PublicRun {
  const limits = resolveLimits({}, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX);
  if (!limits.ok) throw new Error("the defaults fit");
  const state = createState(
    {
      id: ID,
      question: "Which country's customers have spent the most?",
      caller: "slack:app",
      mode: "auto",
      grounding: "report",
      model: "offline",
      tools: [],
      limits: limits.value,
    },
    NOW,
  );
  const run = toPublicRun(state, { queries: [] }, NOW);
  return {
    ...run,
    status: "finished",
    outcome: "answered",
    stop_reason: "done",
    message: "Answered.",
    answer: "Customers from the USA have spent the most: $523.06.",
    grounded: true,
    n_queries: 1,
    receipt: {
      queries: [query()],
      results: ["r1"],
      citations: [],
      chart: null,
      rows_read: 412,
      cost_usd: 0.0123,
      cost_by_phase: null,
      seconds: 3.42,
      steps: 2,
    },
    finished_at: new Date(NOW + 3_420).toISOString(),
    ...parts,
  };
}
