import { describe, expect, expectTypeOf, test } from "vitest";
import type { PublicRun } from "../../src/agent/view.ts";
import { createClient } from "../../src/http/client.ts";
import { CALLERS, createHarness, KEY } from "./harness.ts";

function createTestClient() {
  const { app, bindings, context } = createHarness({ QUERENT_CALLERS: CALLERS });
  return createClient("http://querent.test", KEY, {
    fetch: (input: RequestInfo | URL, init?: RequestInit) => app.request(input, init, bindings, context),
  });
}

describe("createClient", () => {
  test("asks, waits, looks and cancels, with types", async () => {
    const client = createTestClient();
    const asked = await client.v1.runs.$post(
      { json: { question: "How many albums?" } },
      { headers: { prefer: "wait=5" } },
    );
    expect(asked.status).toBe(200);
    const run = await asked.json();
    expectTypeOf(run).toEqualTypeOf<PublicRun>();
    expect(run.answer).toBe("42");
    const looked = await client.v1.runs[":id"].$get({ param: { id: run.id } });
    expect((await looked.json()).id).toBe(run.id);
    const listed = await client.v1.runs.$get({ query: { limit: "5" } });
    expect((await listed.json()).runs.map((entry) => entry.id)).toEqual([run.id]);
    const cancelled = await client.v1.runs[":id"].cancel.$post({ param: { id: run.id }, json: {} });
    expect(cancelled.status).toBe(409);
  });

  test("a wrong body does not compile, and is 400", async () => {
    const client = createTestClient();
    // @ts-expect-error: a question is a text.
    const response = await client.v1.runs.$post({ json: { question: 5 } });
    expect(response.status).toBe(400);
  });
});
