import { describe, expect, test } from "vitest";
import { JSON_BODY_BYTES_MAX } from "../../src/http/body.ts";
import { createHarness, readProblem } from "./harness.ts";

const JSON_TYPE = { "content-type": "application/json" };
const QUESTION = '{"question":"How many?"}';

function bytesOf(...parts: (string | number[])[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  return Uint8Array.from(parts.flatMap((part) => [...(typeof part === "string" ? encoder.encode(part) : part)]));
}

/** A body of `chunks` pieces that come one by one, with no length told beforehand. */
function chunked(chunks: number, size: number) {
  const state = { pulled: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (state.pulled >= chunks) return controller.close();
        state.pulled += 1;
        controller.enqueue(new Uint8Array(size).fill(0x20));
      },
      cancel() {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, state };
}

describe("bodies of POST /v1/runs", () => {
  test.each<[string, Uint8Array<ArrayBuffer>, number, string]>([
    ["nothing", bytesOf(), 400, "invalid_json"],
    ["a brace", bytesOf("{"), 400, "invalid_json"],
    ["a cut text", bytesOf('{"question":"How'), 400, "invalid_json"],
    ["a list", bytesOf("[]"), 400, "invalid_request"],
    ["null", bytesOf("null"), 400, "invalid_request"],
    ["a text", bytesOf('"x"'), 400, "invalid_request"],
    ["a number", bytesOf("7"), 400, "invalid_request"],
    ["two values", bytesOf("{}{}"), 400, "invalid_json"],
    ["single quotes", bytesOf("{'question':'x'}"), 400, "invalid_json"],
    ["a comment", bytesOf('{"question":"x"/**/}'), 400, "invalid_json"],
    ["a duplicate key", bytesOf('{"question":"a","question":"b"}'), 400, "invalid_json"],
    ["a duplicate key, escaped", bytesOf('{"question":"a","\\u0071uestion":"b"}'), 400, "invalid_json"],
    ["depth 10,000", bytesOf("[".repeat(10_000)), 400, "invalid_json"],
    ["depth 10,000, closed", bytesOf('{"question":', "[".repeat(10_000), "]".repeat(10_000), "}"), 400, "invalid_json"],
    ["a byte order mark", bytesOf([0xef, 0xbb, 0xbf], QUESTION), 400, "invalid_json"],
    [
      "UTF-16 with a mark",
      bytesOf(
        [0xff, 0xfe],
        [...QUESTION].flatMap((c) => [c.charCodeAt(0), 0]),
      ),
      400,
      "invalid_json",
    ],
    ["UTF-16 without a mark", bytesOf([...QUESTION].flatMap((c) => [0, c.charCodeAt(0)])), 400, "invalid_json"],
    ["bytes that are not UTF-8", bytesOf('{"question":"', [0xc3, 0x28], '"}'), 400, "invalid_json"],
    ["a raw NUL", bytesOf('{"question":"a', [0], 'b"}'), 400, "invalid_json"],
    ["a prototype key", bytesOf('{"question":"x","__proto__":{"model":"y"}}'), 400, "invalid_request"],
    ["a constructor key", bytesOf('{"question":"x","constructor":{"prototype":{}}}'), 400, "invalid_request"],
    ["a form", bytesOf("question=How+many%3F"), 400, "invalid_json"],
  ])("J7: %s is refused", async (_name, body, status, code) => {
    const { request, callers } = createHarness();
    const response = await request("/v1/runs", { method: "POST", headers: JSON_TYPE, body });
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    const problem = await readProblem(response);
    expect(problem).toMatchObject({ status, code });
    expect(problem.detail).toMatch(/\.$/);
    expect(callers.size).toBe(0);
    expect(({} as { model?: string }).model).toBeUndefined();
  });

  test("malformed JSON names line, column and pointer", async () => {
    const { post } = createHarness();
    const response = await post("/v1/runs", '{\n "question": "x",\n "limits": {"max_steps": 1,}\n}');
    expect(await readProblem(response)).toMatchObject({
      line: 3,
      column: 28,
      errors: [{ pointer: "#/limits/max_steps" }],
    });
  });

  test.each([
    [undefined, 415],
    ["", 415],
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    ["application/jsonp", 415],
    ["application/json; charset=utf-16", 415],
    ["text/json", 415],
    ["application/json", 202],
    ["Application/JSON; charset=UTF-8", 202],
    ['application/json;charset="utf-8"', 202],
    ["application/vnd.api+json", 202],
  ])("the content type %j is %i", async (type, status) => {
    const { request } = createHarness();
    const body = bytesOf(QUESTION);
    const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
    const response = await request("/v1/runs", { method: "POST", headers, body });
    expect(response.status).toBe(status);
    if (status === 415) expect((await readProblem(response)).code).toBe("unsupported_media_type");
  });

  test("an encoded body is 415: its real size could not be bounded", async () => {
    const { post } = createHarness();
    expect((await post("/v1/runs", QUESTION, { "content-encoding": "gzip" })).status).toBe(415);
    expect((await post("/v1/runs", QUESTION, { "content-encoding": "identity" })).status).toBe(202);
  });

  test("the bound is exact", async () => {
    const { post } = createHarness();
    const room = JSON_BODY_BYTES_MAX - QUESTION.length;
    expect((await post("/v1/runs", QUESTION + " ".repeat(room))).status).toBe(202);
    const over = await post("/v1/runs", QUESTION + " ".repeat(room + 1));
    expect(over.status).toBe(413);
    expect((await readProblem(over)).code).toBe("body_too_large");
  });

  test("J7: a chunked body of 20 MB is refused after the bound, not read to its end", async () => {
    const { request } = createHarness();
    const { body, state } = chunked(1_000, 20_000);
    const init = { method: "POST", headers: JSON_TYPE, body, duplex: "half" } as RequestInit;
    expect((await request("/v1/runs", init)).status).toBe(413);
    expect(state.pulled).toBeLessThanOrEqual(5);
    expect(state.cancelled).toBe(true);
  });

  test.each(["10", "abc", "-1", "1e3", "0x10"])("J7: a Content-Length of %j hides no large body", async (length) => {
    const { request } = createHarness();
    const { body } = chunked(1_000, 20_000);
    const headers = { ...JSON_TYPE, "content-length": length };
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    expect((await request("/v1/runs", init)).status).toBe(413);
  });

  test("a Content-Length above the bound is refused before anything is read", async () => {
    const { request } = createHarness();
    const { body, state } = chunked(1, 10);
    const headers = { ...JSON_TYPE, "content-length": "100000" };
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    expect((await request("/v1/runs", init)).status).toBe(413);
    expect(state.pulled).toBe(0);
  });
});

describe("bodies that may be left out", () => {
  test("no body and an empty object are the same; anything else is refused", async () => {
    const { ask, request, post } = createHarness();
    const id = await ask({ mode: "manual" });
    expect((await request(`/v1/runs/${id}/cancel`, { method: "POST" })).status).toBe(200);
    expect((await post(`/v1/runs/${id}/cancel`, {})).status).toBe(200);
    expect((await post(`/v1/runs/${id}/cancel`, { force: true })).status).toBe(400);
    expect((await post(`/v1/runs/${id}/cancel`, "x")).status).toBe(400);
    expect((await post(`/v1/runs/${id}/cancel`, "x", { "content-type": "text/plain" })).status).toBe(415);
  });
});
