import { describe, expect, test } from "vitest";
import type { ResultPage } from "../../src/durable/contract.ts";
import { createHarness, readProblem } from "./harness.ts";

function stored(rows: ResultPage["rows"], more: Partial<ResultPage> = {}): ResultPage {
  return {
    ref: "r1",
    sha256: "0".repeat(64),
    sql: "SELECT 1",
    columns: ["n", "name"],
    rows,
    fromRow: 1,
    storedRows: rows.length,
    totalRows: rows.length,
    truncated: false,
    nextRow: null,
    ...more,
  };
}

async function withResult(rows: ResultPage["rows"], more: Partial<ResultPage> = {}) {
  const harness = createHarness();
  const id = await harness.ask();
  const run = harness.runs.get(id)!;
  run.results.set("r1", stored(rows, more));
  return { ...harness, id, run };
}

const numbers = (count: number): ResultPage["rows"] => Array.from({ length: count }, (_, index) => [index + 1, "x"]);

describe("GET /v1/runs/:id/results/:ref", () => {
  test.each([200, 201, 250])("gives pages of JSON that together are all %i rows, once each", async (count) => {
    const { request, id } = await withResult(numbers(count));
    const seen: unknown[] = [];
    let next: string | null = `/v1/runs/${id}/results/r1`;
    while (next !== null) {
      const response = await request(next);
      expect(response.status).toBe(200);
      const page = (await response.json()) as { rows: unknown[]; next: string | null; stored_rows: number };
      expect(page.stored_rows).toBe(count);
      seen.push(...page.rows);
      next = page.next;
    }
    expect(seen).toEqual(numbers(count));
  });

  test("a page that the object made shorter is gone on from where it ended", async () => {
    const { request, id, run } = await withResult(numbers(10));
    const whole = run.result.bind(run);
    run.result = async (ref, from = 1, to = 10) => whole(ref, from, Math.min(to, from + 2));
    const page = (await (await request(`/v1/runs/${id}/results/r1?limit=5`)).json()) as { next: string };
    expect(page.next).toBe(`/v1/runs/${id}/results/r1?from=4&limit=5`);
    const csv = await (await request(`/v1/runs/${id}/results/r1?format=csv`)).text();
    expect(csv.trim().split("\r\n")).toHaveLength(11);
  });

  test("an empty result has its column names, as JSON and as CSV", async () => {
    const { request, id } = await withResult([]);
    const page = await (await request(`/v1/runs/${id}/results/r1`)).json();
    expect(page).toMatchObject({ columns: ["n", "name"], rows: [], from: 1, stored_rows: 0, next: null });
    expect(await (await request(`/v1/runs/${id}/results/r1?format=csv`)).text()).toBe("n,name\r\n");
  });

  test("CSV holds every row, is fetched in pages, and says when rows were cut", async () => {
    const { request, id, run } = await withResult(numbers(2_500), { truncated: true });
    const response = await request(`/v1/runs/${id}/results/r1`, { headers: { accept: "text/csv" } });
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${id}-r1.csv"`);
    expect(response.headers.get("querent-truncated")).toBe("true");
    expect(response.headers.get("vary")).toContain("accept");
    expect((await response.text()).trim().split("\r\n")).toHaveLength(2_501);
    expect(run.calls.filter((call) => call.startsWith("result"))).toHaveLength(3);
  });

  test.each([
    ["text/csv", "", "text/csv"],
    ["text/csv;q=0.9, application/json;q=0.5", "", "text/csv"],
    ["application/json, text/csv;q=0.5", "", "application/json"],
    ["text/html, */*", "", "application/json"],
    ["text/csv;q=0", "", "application/json"],
    ["text/csv", "?format=json", "application/json"],
    ["application/json", "?format=csv", "text/csv"],
  ])("Accept %j with %j gives %s", async (accept, query, type) => {
    const { request, id } = await withResult(numbers(1));
    const response = await request(`/v1/runs/${id}/results/r1${query}`, { headers: { accept } });
    expect(response.headers.get("content-type")).toContain(type);
  });

  test.each(["from=0", "from=-1", "from=x", "limit=0", "limit=1001", "limit=1.5", "format=xml", "from=1&from=2"])(
    "?%s is 400",
    async (query) => {
      const { request, id } = await withResult(numbers(1));
      const response = await request(`/v1/runs/${id}/results/r1?${query}`);
      expect(response.status).toBe(400);
      expect((await readProblem(response)).errors?.[0]?.parameter).toBe(query.split("=")[0]);
    },
  );

  test("an unknown reference and an unknown run are told apart", async () => {
    const { request, id, run } = await withResult(numbers(1));
    const ref = await request(`/v1/runs/${id}/results/r9`);
    expect([ref.status, (await readProblem(ref)).code]).toEqual([404, "result_not_found"]);
    run.run = null;
    const gone = await request(`/v1/runs/${id}/results/r1`);
    expect([gone.status, (await readProblem(gone)).code]).toEqual([404, "run_not_found"]);
  });
});

describe("GET /v1/runs/:id/transcript", () => {
  test("gives the whole journal, one JSON value a line, fetched page by page", async () => {
    const { ask, runs, request } = createHarness();
    const id = await ask();
    const run = runs.get(id)!;
    await run.step();
    await run.step();
    const response = await request(`/v1/runs/${id}/transcript`);
    expect(response.headers.get("content-type")).toBe("application/jsonl");
    const lines = (await response.text()).trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      "run",
      "event",
      "event",
      "event",
      "event",
    ]);
    expect(run.calls.filter((call) => call.startsWith("transcript"))).toHaveLength(5);
  });

  test("is 404 for a run that is not there", async () => {
    const { ask, runs, request } = createHarness();
    const id = await ask();
    runs.get(id)!.run = null;
    expect((await request(`/v1/runs/${id}/transcript`)).status).toBe(404);
  });
});
