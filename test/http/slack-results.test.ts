import { describe, expect, it } from "vitest";
import { signPath } from "../../src/lib/hmac.ts";
import { NOW } from "../fakes/fake-run-object.ts";
import { createHarness, type Harness } from "./harness.ts";

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

async function withResult() {
  const harness = createHarness({
    QUERENT_LOCAL: "1",
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_CALLER: '{"teams":["T0001"]}',
  });
  harness.prepare.push((run) => {
    run.results.set("r1", {
      ref: "r1",
      sha256: "0",
      sql: "SELECT 1",
      columns: ["Country", "spent"],
      rows: [
        ["USA", 523.06],
        ["=cmd()", null],
      ],
      fromRow: 1,
      storedRows: 2,
      totalRows: 2,
      truncated: false,
      nextRow: null,
    });
  });
  return { harness, id: await harness.ask() };
}

const get = (harness: Harness, path: string): Promise<Response> =>
  harness.request(`https://querent.example.com${path}`);

describe("a link to all rows", () => {
  it("gives them as CSV to whoever has it, without a key", async () => {
    const { harness, id } = await withResult();
    const response = await get(harness, await signPath(`/slack/results/${id}/r1`, SECRET, NOW + WEEK_MS));
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("Country,spent\r\nUSA,523.06\r\n'=cmd(),\r\n");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": 'attachment; filename="querent-r1.csv"',
      "cache-control": "no-store",
      "x-robots-tag": "noindex, nofollow",
    });
  });

  it("opens nothing when it is unsigned, over, changed or for something else", async () => {
    const { harness, id } = await withResult();
    const path = `/slack/results/${id}/r1`;
    const good = await signPath(path, SECRET, NOW + WEEK_MS);
    const bad = [
      path,
      await signPath(path, SECRET, NOW - 1_000),
      await signPath(path, "another", NOW + WEEK_MS),
      good.replace("/r1?", "/r2?"),
      good.replace(/expires=\d+/, "expires=9999999999"),
    ];
    for (const address of bad) expect((await get(harness, address)).status).toBe(404);
  });

  it("says so when the rows are not kept any more", async () => {
    const { harness, id } = await withResult();
    const response = await get(harness, await signPath(`/slack/results/${id}/r9`, SECRET, NOW + WEEK_MS));
    expect([response.status, (await response.json()) as object]).toMatchObject([404, { code: "result_not_found" }]);
  });
});
