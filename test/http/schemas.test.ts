import { describe, expect, test } from "vitest";
import { PROBLEMS } from "../../src/http/problems.ts";
import { listedRunSchema, problemSchema } from "../../src/http/schemas.ts";

describe("problemSchema", () => {
  const problem = { type: "about:blank", title: "t", status: 400, code: "invalid_json", detail: "d" };

  test("knows every code and no other, and takes members beside the standard ones", () => {
    expect(problemSchema.shape.code.options).toEqual(Object.keys(PROBLEMS));
    expect(problemSchema.safeParse({ ...problem, line: 3 }).success).toBe(true);
    expect(problemSchema.safeParse({ ...problem, code: "oops" }).success).toBe(false);
  });
});

describe("listedRunSchema", () => {
  test("has every outcome of a run, and one for runs that nobody can ask any more", () => {
    const { outcome } = listedRunSchema.shape;
    for (const value of ["answered", "stopped", "failed", "cancelled", "lost", null]) {
      expect(outcome.safeParse(value).success).toBe(true);
    }
    expect(outcome.safeParse("done").success).toBe(false);
  });
});
