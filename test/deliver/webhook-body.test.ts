import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PublicRun, publicRunSchema } from "../../src/agent/view.ts";
import { toWebhookBody, WEBHOOK_BODY_BYTES_MAX } from "../../src/deliver/webhook-body.ts";
import { byteLength } from "../../src/lib/bytes.ts";
import { publicRun, query } from "./public-run.ts";

function waitingFor(...sqls: readonly string[]): NonNullable<PublicRun["waiting"]> {
  const [since, until] = ["2026-11-30T12:00:00.000Z", "2026-12-01T12:00:00.000Z"];
  const queries = sqls.map((sql, index) => ({
    index,
    sql,
    tables: Array.from({ length: 30 }, () => sql.slice(0, 300)),
    rows_read: 5,
    cost_usd: 0,
    plan: Array.from({ length: 30 }, () => sql.slice(0, 200)),
  }));
  return { kind: "approval", since, until, approval: { id: "a1", queries }, inquiry: null };
}

describe("the body of a webhook", () => {
  it("is the type, the instant of the end, and the run as the API shows it", () => {
    const run = publicRun();
    expect(JSON.parse(toWebhookBody(run))).toEqual({ type: "run.finished", timestamp: run.finished_at, data: run });
  });

  it("A13, A29: says what the API says on failure, on its reason and on queries", () => {
    const run = publicRun({ outcome: "stopped", failed: true, stop_reason: "max_hops", answer: null, n_queries: 0 });
    expect(JSON.parse(toWebhookBody(run)).data).toMatchObject({ failed: true, stop_reason: "max_hops", n_queries: 0 });
  });

  it("A14: rewording every text of a run changes nothing else", () => {
    const run = publicRun({ outcome: "failed", failed: true, stop_reason: "provider_error", answer: null });
    const plain = JSON.parse(toWebhookBody({ ...run, message: "It failed.", warnings: ["Careful."] }));
    const reworded = JSON.parse(toWebhookBody({ ...run, message: "All is well: answered.", warnings: ["done"] }));
    expect({ ...reworded.data, message: plain.data.message, warnings: plain.data.warnings }).toEqual(plain.data);
    expect(Object.keys(reworded)).toEqual(Object.keys(plain));
  });

  it("C48: of a run that waits for a person says since when, and what for", () => {
    const run = publicRun({ outcome: null, finished_at: null, status: "waiting", waiting: waitingFor("SELECT 1") });
    const body = JSON.parse(toWebhookBody(run));
    expect(body).toEqual({ type: "run.waiting", timestamp: "2026-11-30T12:00:00.000Z", data: run });
  });

  it("names every field that it had to cut, and no other", () => {
    const sql = `SELECT '${"x".repeat(30_000)}'`;
    const run = publicRun();
    const body = JSON.parse(toWebhookBody({ ...run, receipt: { ...run.receipt, queries: [query({ sql })] } }));
    expect(body.truncated).toEqual(["data.receipt.queries.sql"]);
    expect(body.data.receipt.queries[0].sql).toMatch(/^SELECT 'x+ …$/);
    expect(body.data.answer).toBe(run.answer);
  });

  it("stays under 20 kB and keeps the shape of a run, however long its texts are", () => {
    const text = fc.oneof(fc.string({ unit: "binary", maxLength: 60 }), fc.constantFrom("é", "\u0000", "😀", '"', "x"));
    const long = fc
      .tuple(text, fc.integer({ min: 0, max: 20_000 }))
      .map(([unit, times]) => unit.repeat(times).slice(0, 20_000));
    const queries = fc.array(long, { maxLength: 40 });
    fc.assert(
      fc.property(
        long,
        long,
        long,
        queries,
        fc.array(long, { maxLength: 30 }),
        (question, answer, message, sqls, warnings) => {
          const waiting = waitingFor(...sqls);
          const run = publicRun({ question, answer, message, warnings, partial_answer: answer, waiting });
          const results = Array.from({ length: 300 }, (_, index) => `r${index}`);
          const receipt = { ...run.receipt, results, queries: sqls.map((sql) => query({ sql, error: sql })) };
          const body = toWebhookBody({ ...run, receipt });
          expect(byteLength(body)).toBeLessThanOrEqual(WEBHOOK_BODY_BYTES_MAX);
          const parsed = JSON.parse(body);
          expect(publicRunSchema.safeParse(parsed.data).success).toBe(true);
          expect(parsed.data.links).toEqual(run.links);
        },
      ),
      { numRuns: 60 },
    );
  });
});
