import { describe, expect, test } from "vitest";
import { createHarness, readProblem } from "./harness.ts";

describe("query parameters", () => {
  test("a fault names the parameter and says what is wanted", async () => {
    const { request } = createHarness();
    const response = await request("/v1/runs?limit=many");
    expect(response.status).toBe(400);
    expect(await readProblem(response)).toMatchObject({
      code: "invalid_request",
      detail: "limit: Write a whole number from 1 to 100.",
      errors: [{ parameter: "limit", detail: "Write a whole number from 1 to 100." }],
    });
  });

  test("a parameter that stands twice is refused, known or not: one of the two would be ignored", async () => {
    const { request } = createHarness();
    for (const query of ["limit=1&limit=2", "limit=1&limit=1", "x=1&x=2"]) {
      expect((await request(`/v1/runs?${query}`)).status).toBe(400);
    }
  });

  test("an unknown one is refused by its name", async () => {
    const { request } = createHarness();
    const response = await request("/v1/runs?offset=3");
    expect(response.status).toBe(400);
    expect(await readProblem(response)).toMatchObject({
      code: "invalid_request",
      errors: [{ parameter: "offset", detail: "There is no such parameter." }],
    });
  });
});
