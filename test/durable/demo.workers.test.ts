/** A question over the demo database through the front door: worker, objects, D1 and the offline model, nothing faked. */
import { applyD1Migrations } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { publicRunSchema } from "../../src/agent/view.ts";

beforeAll(async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

it("answers a question about the demo database, from rows", async () => {
  const response = await exports.default.fetch("http://localhost/v1/runs", {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "wait=20" },
    body: JSON.stringify({ question: "Which country's customers have spent the most?" }),
  });
  expect(response.status).toBe(200);
  const run = publicRunSchema.parse(await response.json());
  expect(run).toMatchObject({ outcome: "answered", failed: false, grounded: true, stop_reason: "done" });
  expect(run.answer).toContain("USA");
  expect(run.answer).toContain("523.06");
  expect(run.receipt.queries[0]).toMatchObject({ result: "r1", rows: 1, error: null });
});
