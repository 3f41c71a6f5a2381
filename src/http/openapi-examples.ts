/** Examples of the OpenAPI document, by component. A test checks each against its schema. */
const RUN_ID = "run_23edyqquf6ztjliais22g3ymgb";

const RUN = {
  id: RUN_ID,
  status: "finished",
  outcome: "answered",
  failed: false,
  stop_reason: "done",
  message: "Answered.",
  answer: "There are 347 albums.",
  partial_answer: null,
  grounded: true,
  n_queries: 1,
  question: "How many albums are there?",
  phase: "finish",
  waiting: null,
  mode: "auto",
  model: "claude-sonnet-5-5",
  grounding: "report",
  limits: {
    max_steps: 12,
    max_hops: 8,
    max_consecutive_errors: 3,
    max_errors: 4,
    max_model_calls: 20,
    wall_clock_s: 300,
    step_timeout_s: 60,
    budget_usd: 0.5,
    max_rows_read: 5_000_000,
  },
  usage: {
    steps: 2,
    hops: 2,
    errors: 0,
    model_calls: 2,
    active_ms: 4_210,
    rows_read: 347,
    cost_usd: 0.0112,
    reserved_usd: 0,
  },
  receipt: {
    queries: [
      {
        sql: "SELECT count(*) AS albums FROM Album",
        result: "r1",
        rows: 1,
        rows_read: 347,
        duration_ms: 4,
        error: null,
      },
    ],
    results: ["r1"],
    citations: [{ figure: "347", result: "r1", row: 1, column: "albums" }],
    rows_read: 347,
    cost_usd: 0.0112,
    cost_by_phase: {
      schema_usd: 0.009,
      reasoning_usd: 0,
      recovery_usd: 0,
      answer_usd: 0.0021996,
      queries_usd: 3.47e-7,
    },
    seconds: 4.21,
    steps: 2,
  },
  postmortem: {
    steps: { productive: 2, neutral: 0, wasteful: 0, harmful: 0, spinning: 0 },
    waste: 0,
    cycles: 0,
    cycle_period_max: 0,
    cycle_repetitions_max: 0,
    recoveries: 0,
  },
  warnings: [],
  links: {
    self: `/v1/runs/${RUN_ID}`,
    events: `/v1/runs/${RUN_ID}/events`,
    transcript: `/v1/runs/${RUN_ID}/transcript`,
    results: `/v1/runs/${RUN_ID}/results/r1`,
  },
  deliveries: [],
  parent: null,
  children: [],
  created_at: "2026-11-30T12:00:00.000Z",
  finished_at: "2026-11-30T12:00:04.210Z",
};

export const EXAMPLES: Readonly<Record<string, unknown>> = {
  Ask: {
    question: "Which country's customers have spent the most?",
    limits: { budget_usd: 0.2 },
    grounding: "require",
  },
  NoFields: {},
  Continue: { limits: { budget_usd: 0.6 } },
  Fork: { step: 2, limits: { max_steps: 20 } },
  Run: RUN,
  RunList: {
    runs: [
      {
        id: RUN_ID,
        question: RUN.question,
        outcome: "answered",
        cost_usd: 0.0112,
        reserved_usd: 0,
        links: { self: `/v1/runs/${RUN_ID}` },
        created_at: RUN.created_at,
      },
    ],
    next_cursor: null,
  },
  ResultPage: {
    ref: "r1",
    sha256: "3f0a377ba0a4a460ecb616f6507ce0d8cfa3e704025d4fda3ed0c5ca05468728",
    sql: "SELECT count(*) AS albums FROM Album",
    columns: ["albums"],
    rows: [[347]],
    from: 1,
    stored_rows: 1,
    total_rows: 1,
    truncated: false,
    next: null,
  },
  Schema: {
    tables: [
      {
        name: "Album",
        kind: "table",
        rows: 347,
        has_more_rows: false,
        tags: [],
        columns: [
          column("AlbumId", "INTEGER", { primary_key: 1, not_null: true }),
          column("Title", "NVARCHAR(160)", { not_null: true }),
          column("ArtistId", "INTEGER", { not_null: true, references: { table: "Artist", column: "ArtistId" } }),
        ],
      },
    ],
  },
  Accepted: { id: RUN_ID, links: RUN.links },
  Health: { status: "ok", model: "claude-sonnet-5-5" },
  Problem: {
    type: "urn:querent:problem:limit_above_maximum",
    title: "A limit is above your maximum",
    status: 422,
    code: "limit_above_maximum",
    detail: "max_steps may be 128 at most.",
    errors: [{ detail: "10000 is above your maximum of 128.", pointer: "#/limits/max_steps" }],
  },
};

function column(name: string, type: string, rest: object): object {
  const plain = { primary_key: 0, not_null: false, generated: false, masked: false };
  return { name, type, ...plain, references: null, values: null, has_more_values: false, ...rest };
}
