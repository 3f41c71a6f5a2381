/**
 * The contract, walked in both directions: every answer that a scenario gets is documented, and every documented answer
 * (route, status, problem code) is got by some scenario.
 */
import { describe, expect, test } from "vitest";
import type { ApiRoute } from "../../src/http/api-route.ts";
import { API_ROUTES, problemsOf } from "../../src/http/api-routes.ts";
import { createApp } from "../../src/http/app.ts";
import { PROBLEMS } from "../../src/http/problems.ts";
import { problemSchema } from "../../src/http/schemas.ts";
import { createHarness, type Harness, readProblem } from "./harness.ts";
import { SCENARIOS } from "./scenarios.ts";
import { SLACK_SCENARIOS } from "./slack-scenarios.ts";

/** What the app answers; the rest are files beside the worker. */
const ROUTES = API_ROUTES.filter((route) => route.isFile !== true);

/** Pages for people: they stand in no OpenAPI document. */
const PAGES = /^\/(?:docs|$|history|schema|runs\/)/;

/** `POST /v1/runs 202` or `POST /v1/runs 400 invalid_json`. */
type Outcome = string;

function documented(): Set<Outcome> {
  const outcomes = new Set<Outcome>();
  for (const route of ROUTES) {
    const name = `${route.method.toUpperCase()} ${route.path}`;
    for (const status of Object.keys(route.answers)) outcomes.add(`${name} ${status}`);
    for (const code of problemsOf(route)) outcomes.add(`${name} ${PROBLEMS[code].status} ${code}`);
  }
  return outcomes;
}

async function observe(route: ApiRoute, response: Response): Promise<Outcome> {
  const name = `${route.method.toUpperCase()} ${route.path}`;
  const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
  if (response.status >= 400) {
    expect(type).toBe("application/problem+json");
    const problem = await readProblem(response);
    expect(problemSchema.safeParse(problem).error?.issues).toBeUndefined();
    expect(problem.status).toBe(response.status);
    expect(problem.detail).toMatch(/\.$/);
    return `${name} ${response.status} ${problem.code}`;
  }
  const answer = route.answers[response.status];
  const text = await response.text();
  if (type === "application/json") {
    const parsed = answer?.schema?.safeParse(JSON.parse(text));
    expect({ name, issues: parsed?.error?.issues }).toEqual({ name, issues: undefined });
    expect(parsed?.success).toBe(true);
  } else if (type !== "") {
    expect(answer?.texts).toContain(type);
  } else {
    expect(text).toBe("");
  }
  return `${name} ${response.status}`;
}

describe("the contract", () => {
  test("every answer is documented, and every documented answer is given", async () => {
    const seen = new Set<Outcome>();
    for (const scenario of [...SCENARIOS, ...SLACK_SCENARIOS]) {
      for (const route of ROUTES.filter((candidate) => scenario.appliesTo(candidate))) {
        const harness: Harness = createHarness(scenario.settings);
        const response = await scenario.run(harness, route);
        if (response === null) continue;
        if (scenario.status !== undefined) {
          const told = [scenario.name, route.id, response.status];
          expect(told).toEqual([scenario.name, route.id, scenario.status]);
        }
        const outcome = await observe(route, response);
        expect(`${scenario.name}: ${[...documented()].includes(outcome) ? "" : outcome}`).toBe(`${scenario.name}: `);
        seen.add(outcome);
      }
    }
    expect([...documented()].filter((outcome) => !seen.has(outcome))).toEqual([]);
  });

  test("every route of the app is in the document, and the other way round", () => {
    const app = createApp();
    const routes = app.routes
      .filter(({ method, path }) => method !== "ALL" && !PAGES.test(path))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    const known = ROUTES.map((route) => `${route.method.toUpperCase()} ${route.path}`);
    expect([...new Set(routes)].sort()).toEqual([...known].sort());
  });

  test("every problem code belongs to a route", () => {
    const used = new Set<string>(API_ROUTES.flatMap(problemsOf));
    expect(Object.keys(PROBLEMS).filter((code) => !used.has(code))).toEqual([]);
  });
});
