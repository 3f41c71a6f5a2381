import { describe, expect, it } from "vitest";
import { failure, observationSchema, success, warning } from "../../src/agent/observation.ts";

const FIELDS = ["artifacts", "data", "next_actions", "status", "summary"];
const artifact = { kind: "result" as const, ref: "r1", rows: 3 };

describe("the observation envelope", () => {
  it("C21: a success, a warning and an error have the same five fields and fit the schema", () => {
    for (const one of [success("Done."), warning("Partly.", ["Try again."]), failure("No.", ["Mend it."])]) {
      expect(Object.keys(one).sort()).toEqual(FIELDS);
      expect(observationSchema.safeParse(one).success).toBe(true);
    }
  });

  it("C21: carries what it was given", () => {
    expect(success("3 rows.", { n: 3 }, [artifact])).toEqual({
      status: "success",
      summary: "3 rows.",
      data: { n: 3 },
      next_actions: [],
      artifacts: [artifact],
    });
    expect(warning("0 rows.", ["Look up the value."], { n: 0 }, [artifact])).toEqual({
      status: "warning",
      summary: "0 rows.",
      data: { n: 0 },
      next_actions: ["Look up the value."],
      artifacts: [artifact],
    });
  });

  it("C25: an error has a cause and a next step, and refers to nothing", () => {
    expect(failure("There is no column x.", ["Did you mean y?"], { code: "no_such_column" })).toEqual({
      status: "error",
      summary: "There is no column x.",
      data: { code: "no_such_column" },
      next_actions: ["Did you mean y?"],
      artifacts: [],
    });
  });

  it("C25: of a long cause and a long action, head and tail are told, and how much lies between", () => {
    const long = `no such column: ${"x".repeat(5_000)} at offset 7`;
    const { summary, next_actions } = failure(long, [long, "Mend it."]);
    expect(summary.length).toBeLessThan(1_100);
    expect(summary).toMatch(/^no such column: x+ … \(4028 characters left out\) … x+ at offset 7$/);
    expect(next_actions[0]?.length).toBeLessThan(2_100);
    expect(next_actions[0]).toMatch(/^no such column: x+ … \(3028 characters left out\) … x+ at offset 7$/);
    expect(next_actions[1]).toBe("Mend it.");
    const fits = "y".repeat(1_000);
    expect(failure(fits, []).summary).toBe(fits);
  });

  it.each([
    ["no summary", { ...success("x"), summary: "" }],
    ["an unknown status", { ...success("x"), status: "fine" }],
    ["a further field", { ...success("x"), note: "hi" }],
    ["a missing field", { status: "success", summary: "x", data: {}, next_actions: [] }],
    ["data that is a list", { ...success("x"), data: [] }],
    ["an artifact with content", { ...success("x"), artifacts: [{ ...artifact, content: "rows" }] }],
    ["a negative count of rows", { ...success("x"), artifacts: [{ ...artifact, rows: -1 }] }],
  ])("an envelope with %s is refused", (_what, value) => {
    expect(observationSchema.safeParse(value).success).toBe(false);
  });
});
