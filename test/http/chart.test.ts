import { describe, expect, test } from "vitest";
import type { ResultPage } from "../../src/durable/contract.ts";
import { createHarness, type Harness, readProblem } from "./harness.ts";

function keep(harness: Harness, id: string, ref: string, columns: readonly string[], rows: ResultPage["rows"]): void {
  const size = { storedRows: rows.length, totalRows: rows.length, truncated: false, nextRow: null };
  harness.runs.get(id)?.results.set(ref, { ref, sha256: ref, sql: "SELECT 1", columns, rows, fromRow: 1, ...size });
}

/** A run whose answer rests on `r1`, texts that nobody draws, and `r2`, which is a ranking. */
async function charted() {
  const harness = createHarness({ QUERENT_LOCAL: "1" });
  const id = await harness.ask();
  const object = harness.runs.get(id);
  keep(harness, id, "r1", ["Note"], [["one"], ["two"]]);
  keep(
    harness,
    id,
    "r2",
    ["Name", "n"],
    [
      ["Rock", 3],
      ["<b>Jazz</b>", 1],
    ],
  );
  if (object?.run != null) object.run = { ...object.run, receipt: { ...object.run.receipt, results: ["r1", "r2"] } };
  return { get: (query = "") => harness.request(`/v1/runs/${id}/chart.svg${query}`), harness, id };
}

describe("GET /v1/runs/:id/chart.svg", () => {
  test("draws the first result of the answer that suits a picture", async () => {
    const { get } = await charted();
    const response = await get();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("image/svg+xml; charset=utf-8");
    const svg = await response.text();
    expect(svg).toContain("<title>n by Name</title>");
    expect(svg).toContain("&lt;b&gt;Jazz&lt;/b&gt;");
  });

  test("opened by itself it may run and load nothing", async () => {
    const { get } = await charted();
    expect((await get()).headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    );
  });

  test("kind, width and theme can be chosen", async () => {
    const { get } = await charted();
    const share = await (await get("?result=r2&kind=share&width=400&theme=dark")).text();
    expect(share).toContain('width="400"');
    expect(share).toContain("75 %");
    expect(share).not.toBe(await (await get("?result=r2&kind=share&width=400")).text());
  });

  test.each([
    ["?result=r1", "The result r1 does not exist or does not suit a picture. Its rows can be read as JSON or CSV."],
    ["?result=r9", "The result r9 does not exist or does not suit a picture. Its rows can be read as JSON or CSV."],
    ["?kind=line", "No result of this run suits a picture of the kind line. Its rows can be read as JSON or CSV."],
  ])("%s: says why there is none", async (query, detail) => {
    const { get } = await charted();
    const response = await get(query);
    expect(response.status).toBe(404);
    expect(await readProblem(response)).toMatchObject({ code: "result_not_found", detail });
  });

  test.each(["?width=10", "?width=99999", "?kind=pie", "?theme=pink", "?result=1"])("%s is refused", async (query) => {
    const { get } = await charted();
    expect(await readProblem(await get(query))).toMatchObject({ status: 400, code: "invalid_request" });
  });
});
