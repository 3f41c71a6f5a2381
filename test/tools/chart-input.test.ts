/** A wish for a picture as models write it: read leniently, left out with a reason when it cannot be read. */
import { describe, expect, it } from "vitest";
import { parseChart } from "../../src/tools/chart-input.ts";
import { contextWith, resultOf } from "./world.ts";

const { results } = contextWith({ stored: [resultOf(3)] });
const parse = (given: unknown) => parseChart(given, results);

describe("parseChart", () => {
  it.each([[undefined], [null]])("%s is no wish", (given) => {
    expect(parse(given)).toEqual({ ok: true, value: null });
  });

  it.each([
    [{ kind: "line" }, { kind: "line", result: null }],
    [
      { kind: "bar", result: "r1" },
      { kind: "bar", result: "r1" },
    ],
    [
      { kind: "table", result: null },
      { kind: "table", result: null },
    ],
    [{ kind: "scatter" }, { kind: "dots", result: null }],
    [{ kind: "pie" }, { kind: "share", result: null }],
    [{ kind: "column" }, { kind: "bar", result: null }],
  ])("%j is read", (given, value) => {
    expect(parse(given)).toEqual({ ok: true, value });
  });

  it.each([
    [{ kind: "sankey" }, /^chart\.kind: .*"number"\|"line"\|"bar"/],
    [{ kind: "constructor" }, /^chart\.kind: /],
    [{}, /^chart\.kind: /],
    [{ kind: "bar", result: 1 }, /^chart\.result: /],
    [{ kind: "bar", result: "r9" }, /^chart\.result: there is no result r9$/],
    [{ kind: "bar", color: "red" }, /^chart: .*"color"/],
    ["bar", /^chart: /],
    [[], /^chart: /],
  ])("%j is left out, field by field", (given, why) => {
    const parsed = parse(given);
    expect(parsed.ok ? "" : parsed.error).toMatch(why);
  });
});
