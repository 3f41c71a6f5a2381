import { describe, expect, it } from "vitest";
import { readResultRows } from "../../../src/cli/evals/result-rows.ts";
import { fakeDoor, problem } from "../fake-door.ts";

describe("the rows of a result", () => {
  it("are read over all pages", async () => {
    const door = fakeDoor(
      Response.json({ rows: [[1], [2]], next: "/v1/runs/run_1/results/r1?from=3" }),
      Response.json({ rows: [[3]], next: null }),
    );
    expect(await readResultRows(door, "run_1", "r1")).toEqual({ ok: true, value: [[1], [2], [3]] });
    expect(door.requests.map((request) => request.path)).toEqual([
      "/v1/runs/run_1/results/r1?limit=1000",
      "/v1/runs/run_1/results/r1?from=3",
    ]);
  });

  it("that cannot be read are an error, not an empty result", async () => {
    expect(await readResultRows(fakeDoor(problem(404, "gone")), "run_1", "r1")).toMatchObject({ ok: false });
    expect(await readResultRows(fakeDoor(Response.json({ rows: "?" })), "run_1", "r1")).toMatchObject({ ok: false });
  });
});
