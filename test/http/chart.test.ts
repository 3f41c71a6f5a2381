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

  describe("when the model asked for a picture", () => {
    const YEARS: readonly [readonly string[], ResultPage["rows"]] = [
      ["month", "n"],
      [
        ["2024-01", 3],
        ["2024-02", 4],
        ["2024-03", 5],
      ],
    ];

    /** `r2` is a ranking of two parts, `r3` a series of months. */
    async function wished(chart: { kind: "number" | "line" | "bar" | "share" | "dots" | "table"; result?: string }) {
      const { get, harness, id } = await charted();
      keep(harness, id, "r3", ...YEARS);
      const object = harness.runs.get(id);
      if (object?.run == null) throw new Error("there is no run");
      const receipt = { ...object.run.receipt, results: ["r1", "r2", "r3"], chart: { result: null, ...chart } };
      object.run = { ...object.run, receipt };
      const draw = async (query = "") => {
        const svg = await (await get(query)).text();
        return [/<title>(.*?)<.title>/.exec(svg)?.[1], /<desc>(.*?):/.exec(svg)?.[1]];
      };
      return { draw };
    }

    test.each([
      ["a kind that the first result allows", { kind: "share" }, ["n by Name", "Shares of a whole"]],
      ["a kind that only a later result allows", { kind: "line" }, ["n by month", "Line chart"]],
      ["a result by its name", { kind: "bar", result: "r3" }, ["n by month", "Bar chart"]],
      ["a kind that no result allows: the rules", { kind: "dots" }, ["n by Name", "Bar chart"]],
      [
        "a kind that its result does not allow: that result by the rules",
        { kind: "share", result: "r3" },
        ["n by month", "Line chart"],
      ],
      ["a table: the picture of it is asked for all the same", { kind: "table" }, ["n by Name", "Bar chart"]],
    ] as const)("%s", async (_what, chart, drawn) => {
      expect(await (await wished(chart)).draw()).toEqual(drawn);
    });

    test("the request's own kind and result go before it", async () => {
      const { draw } = await wished({ kind: "line", result: "r3" });
      expect(await draw("?kind=share")).toEqual(["n by Name", "Shares of a whole"]);
      expect(await draw("?result=r2")).toEqual(["n by Name", "Bar chart"]);
      expect(await draw("?result=r3&kind=bar")).toEqual(["n by month", "Bar chart"]);
    });
  });

  test.each(["?width=10", "?width=99999", "?kind=pie", "?theme=pink", "?result=1"])("%s is refused", async (query) => {
    const { get } = await charted();
    expect(await readProblem(await get(query))).toMatchObject({ status: 400, code: "invalid_request" });
  });
});
