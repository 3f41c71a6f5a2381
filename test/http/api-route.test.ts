import { describe, expect, test } from "vitest";
import { HEADERS } from "../../src/http/api-route.ts";
import { API_ROUTES, problemsOf } from "../../src/http/api-routes.ts";
import { problemHeaders } from "../../src/http/problems.ts";

describe("headers of the contract", () => {
  test("each is taken or given by some route, and is told in words", () => {
    const used = new Set<string>();
    for (const route of API_ROUTES) {
      for (const name of route.takes ?? []) used.add(name);
      for (const answer of Object.values(route.answers)) for (const name of answer.headers ?? []) used.add(name);
      for (const code of problemsOf(route)) for (const name of problemHeaders(code)) used.add(name);
    }
    expect([...used].sort()).toEqual(Object.keys(HEADERS).sort());
    for (const text of Object.values(HEADERS)) expect(text).toMatch(/^\S.*\.$/);
  });
});
