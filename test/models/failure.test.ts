/** What a refusal means for the run, by type and by status, and what its message may hold. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkKey, cleanDetail, parseRetryAfterMs, toStatusFailure } from "../../src/models/failure.ts";

const answer = (status: number, facts: { type?: string; errorCode?: string; headers?: Record<string, string> } = {}) =>
  toStatusFailure(
    {
      server: "Acme",
      status,
      type: facts.type ?? null,
      errorCode: facts.errorCode ?? null,
      detail: null,
      headers: new Headers(facts.headers),
      requestId: null,
    },
    0,
  );

describe("C26 by status alone", () => {
  const TRANSIENT = [408, 409, 429, 500, 501, 502, 503, 504, 520, 529, 599];
  const PERMANENT = [300, 307, 400, 401, 402, 403, 404, 405, 410, 413, 415, 418, 422, 451];
  test.each(TRANSIENT)("%i is retryable", (status) => expect(answer(status).kind).toBe("retryable"));
  test.each(PERMANENT)("%i is fatal", (status) => expect(answer(status).kind).toBe("fatal"));

  test("4xx and 529 cost nothing; what the server broke off may have", () => {
    expect([400, 401, 404, 408, 413, 429, 529].map((status) => answer(status).unbilled)).toEqual(Array(7).fill(true));
    expect([500, 502, 503, 504, 520, 522, 524, 200, 204, 299].filter((status) => answer(status).unbilled)).toEqual([]);
  });

  test("C26: a redirect, and an edge that reached nobody, cost nothing: nobody has generated", () => {
    const free = [300, 301, 302, 303, 304, 307, 308, 399, 501, 521, 523, 525, 526];
    expect(free.filter((status) => !answer(status).unbilled)).toEqual([]);
    expect(answer(302)).toMatchObject({ kind: "fatal", code: "unexpected_status" });
    expect(answer(302).message).toContain("it points to another address, which is not followed; check the base URL");
    expect(answer(521, { type: "api_error" }).unbilled).toBe(false);
    expect(answer(302, { type: "api_error" }).unbilled).toBe(false);
    expect(answer(302, { type: "overloaded_error" }).unbilled).toBe(true);
  });
});

describe("F11: the error type goes before the status", () => {
  test.each([
    [200, "overloaded_error", "overloaded"],
    [400, "overloaded_error", "overloaded"],
    [500, "invalid_request_error", "invalid_request"],
    [200, "rate_limit_error", "rate_limited"],
    [529, "authentication_error", "authentication"],
    // The vague type of compatible servers says less than the status.
    [401, "invalid_request_error", "authentication"],
    [404, "invalid_request_error", "not_found"],
    [429, "invalid_request_error", "rate_limited"],
    [503, "something_new", "server_error"],
    [429, "something_new", "rate_limited"],
    [418, "something_new", "unexpected_status"],
  ])("%i with %s is %s", (status, type, code) => expect(answer(status, { type }).code).toBe(code));

  test.each([
    "ramp_limit_exceeded",
    "enforced_spend_limit_reached",
    "contract_spend_limit_reached",
    "insufficient_quota",
  ])("429 with %s is a fatal spend limit, also when a retry-after came along", (errorCode) => {
    expect(answer(429, { errorCode, type: "rate_limit_error", headers: { "retry-after": "5" } })).toMatchObject({
      kind: "fatal",
      code: "spend_limit",
      retryAfterMs: null,
    });
  });
});

describe("parseRetryAfterMs", () => {
  test("is null or a number from 0, whatever the header holds", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const clean = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, "");
        const parsed = parseRetryAfterMs(new Headers({ "retry-after": clean(a), "retry-after-ms": clean(b) }), 1_000);
        expect(parsed === null || parsed >= 0).toBe(true);
      }),
    );
  });

  test.each([
    ["1e9", null],
    ["Infinity", null],
    ["0x10", null],
    ["2026", 2_026_000],
    ["  3 ", 3_000],
    ["0", 0],
    ["Thu, 01 Jan 1970 00:00:05 GMT", 4_000],
    ["Thu, 99 Foo 1970", null],
  ])("%j is %s", (value, expected) =>
    expect(parseRetryAfterMs(new Headers({ "retry-after": value }), 1_000)).toBe(expected),
  );
});

describe("cleanDetail", () => {
  const prompt = ["You answer questions.", "Who owes us money in São Paulo?", "hm"];
  test.each([
    [undefined, null],
    [{ text: 1 }, null],
    ["  ", null],
    ["max_tokens:  200000 >\n128000", "max_tokens: 200000 > 128000"],
    ["bad key secret-key-1", "bad key [key]"],
    ["bad key sk-ant-api03-abcdefgh", "bad key [key]"],
    ["Authorization: Bearer abcdefghijklm is wrong", "Authorization: [key] is wrong"],
    ["near: who owes us; money in São Paulo?", null],
    ["x".repeat(1_000), "x".repeat(300)],
  ])("%j becomes %j", (text, expected) => expect(cleanDetail(text, "secret-key-1", prompt)).toBe(expected));

  test("a short question is found as a whole", () => {
    expect(cleanDetail("cannot answer: How many?", "", ["How many?"])).toBeNull();
    expect(cleanDetail("cannot answer that", "", ["How many?"])).toBe("cannot answer that");
  });
});

describe("checkKey", () => {
  test.each(["", " ", "a b", "key\n", "ключ", "a\u0000"])("%j is refused before the SDK can quote it", (key) => {
    const failure = checkKey(key, "Acme");
    expect(failure).toMatchObject({ kind: "fatal", code: "authentication", unbilled: true });
    expect(failure?.message).toContain("Acme");
  });
  test("an ordinary key passes", () => expect(checkKey("sk-ant-api03-Ab_9=", "Acme")).toBeNull());
});
