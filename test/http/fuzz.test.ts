/**
 * Random and mutated requests over all routes: no answer is a 5xx, none hangs, each is a problem document or one that the
 * contract documents. The objects behind the doors are fakes, so what is tried here is the doors alone.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApiRoute } from "../../src/http/api-route.ts";
import { API_ROUTES } from "../../src/http/api-routes.ts";
import { JSON_BODY_BYTES_MAX } from "../../src/http/body.ts";
import { PAGE_PATHS } from "../../src/http/page.ts";
import { problemSchema } from "../../src/http/schemas.ts";
import { CALLERS, createHarness, type Harness, KEY, putDatabase } from "./harness.ts";

const REQUESTS = 20_000;
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const SETTINGS = {
  QUERENT_LOCAL: "1",
  QUERENT_CALLERS: CALLERS,
  QUERENT_CORS_ORIGINS: "https://app.example.com",
  SLACK_SIGNING_SECRET: "8f742231b10e8888abcd99yyyzzz85a5",
  SLACK_CALLER: '{"teams":["T0001"]}',
  WEBHOOK_SOURCES: JSON.stringify({ form: { scheme: "standard", secrets: [SECRET], question: "/question" } }),
};

const junk = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom(
    "",
    "%00",
    "..",
    "%2e%2e",
    "__proto__",
    "constructor",
    "null",
    "-1",
    "1e999",
    "🎸",
    "a".repeat(3_000),
  ),
);

const field = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>("How many albums?", 0, -1, 1e9, 1e-9, "5", null, [], {}, "manual", "offline", [
    "final_answer",
  ]),
);

const ask = fc.record(
  {
    question: fc.oneof(fc.constant("How many albums?"), fc.string({ unit: "binary" }), field),
    limits: fc.oneof(field, fc.record({ max_steps: field, budget_usd: field, wall_clock_s: field })),
    model: field,
    mode: field,
    grounding: field,
    tools: field,
    callback_url: field,
    step: field,
    extra: field,
  },
  { requiredKeys: [] },
);

/** JSON of every shape, whole or damaged at one place, or bytes of any kind. */
const body = fc.oneof(
  { weight: 5, arbitrary: ask.map((value) => Buffer.from(JSON.stringify(value))) },
  {
    weight: 3,
    arbitrary: fc.tuple(ask, fc.nat(), fc.nat(255)).map(([value, at, byte]) => {
      const bytes = Buffer.from(JSON.stringify(value));
      bytes[at % bytes.length] = byte;
      return bytes;
    }),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.constant(Buffer.alloc(JSON_BODY_BYTES_MAX + 1, 0x5b)) },
);

const headerNames = [
  "accept",
  "authorization",
  "content-type",
  "content-length",
  "content-encoding",
  "if-none-match",
  "idempotency-key",
  "last-event-id",
  "origin",
  "prefer",
  "webhook-id",
  "x-github-delivery",
  "x-hub-signature-256",
  "x-slack-request-timestamp",
  "x-slack-signature",
  "webhook-signature",
  "webhook-timestamp",
] as const;
const headerValue = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    `Bearer ${KEY}`,
    "application/json",
    "text/csv",
    '"key-1"',
    "*",
    "gzip",
    "1",
    "99999999999999999999",
    "https://app.example.com",
    "wait=1",
  ),
);
const headers = fc.dictionary(fc.constantFrom(...headerNames), headerValue, { maxKeys: 4 });

const request = fc.record({
  route: fc.constantFrom<Pick<ApiRoute, "method" | "path">>(
    ...API_ROUTES,
    ...[...PAGE_PATHS, "/docs"].map((path) => ({ method: "get" as const, path: path.replace(":id", "{id}") })),
  ),
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD") },
  ),
  ownId: fc.boolean(),
  segment: junk,
  tail: fc.oneof({ weight: 8, arbitrary: fc.constant("") }, { weight: 1, arbitrary: junk }),
  query: fc.dictionary(fc.constantFrom("limit", "cursor", "from", "format", "last_event_id", "kind", "x"), junk, {
    maxKeys: 3,
  }),
  headers,
  body,
  isJson: fc.boolean(),
});

type Wild = typeof request extends fc.Arbitrary<infer T> ? T : never;

async function send(harness: Harness, wild: Wild, id: string): Promise<{ response: Response; method: string }> {
  const { route } = wild;
  const segment = encodeURIComponent(wild.segment.toWellFormed());
  const path = route.path
    .replace("{id}", wild.ownId ? id : segment)
    .replace("{ref}", wild.ownId ? "r1" : segment)
    .replace("{source}", wild.ownId ? "form" : segment);
  const query = new URLSearchParams(wild.query).toString();
  const method = wild.method ?? route.method.toUpperCase();
  const init = new Headers();
  for (const [name, value] of Object.entries(wild.headers)) {
    try {
      init.set(name, value);
    } catch {
      // Not a header that any client could send.
    }
  }
  if (wild.isJson) init.set("content-type", "application/json");
  const hasBody = method !== "GET" && method !== "HEAD";
  const response = await harness.request(
    `http://localhost${path}${encodeURI(wild.tail.toWellFormed()).replaceAll("#", "")}${query === "" ? "" : `?${query}`}`,
    { method, headers: init, ...(hasBody && { body: new Uint8Array(wild.body) }) },
  );
  return { response, method };
}

describe("20,000 wild requests", () => {
  test("none is answered with a 5xx, and each answer is documented", { timeout: 300_000 }, async () => {
    let harness = createHarness(SETTINGS);
    let id = "";
    let sent = 0;
    const codes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(request, async (wild) => {
        // A fresh world now and then, so that runs are found in every state.
        if (sent % 200 === 0) {
          harness = createHarness(SETTINGS);
          putDatabase(harness);
          id = await harness.ask(sent % 400 === 0 ? { mode: "manual" } : {});
          if (sent % 600 === 0) harness.runs.get(id)?.end("stopped", "max_steps");
        }
        sent += 1;
        const { response, method } = await send(harness, wild, id);
        const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
        expect(response.status).toBeLessThan(500);
        if (response.status >= 400) {
          expect(type).toBe("application/problem+json");
          if (method === "HEAD") return;
          const problem = (await response.json()) as { status: number; code: string };
          expect(problemSchema.safeParse(problem).success).toBe(true);
          expect(problem.status).toBe(response.status);
          codes.add(problem.code);
          return;
        }
        expect([200, 202, 204, 304]).toContain(response.status);
        expect(response.headers.get("x-content-type-options")).toBe("nosniff");
        await response.body?.cancel();
      }),
      { numRuns: REQUESTS },
    );
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
    // The requests are wild enough to meet the refusals that matter.
    for (const code of [
      "invalid_json",
      "invalid_request",
      "body_too_large",
      "unsupported_media_type",
      "unauthorized",
    ]) {
      expect(codes).toContain(code);
    }
  });
});
