import { describe, expect, test } from "vitest";
import { BODY_MS_MAX, JSON_BODY_BYTES_MAX } from "../../src/http/body.ts";
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
    expect(state.pulled).toBeLessThanOrEqual(JSON_BODY_BYTES_MAX / 20_000 + 1);
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
    const headers = { ...JSON_TYPE, "content-length": "1000000" };
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    expect((await request("/v1/runs", init)).status).toBe(413);
    expect(state.pulled).toBe(0);
  });
});

describe("a body that does not come", () => {
  /** A request whose body gives `first` and then `rest`, over a clock that the test moves. */
  function slow(rest: (controller: ReadableStreamDefaultController) => void) {
    const clocks: { ms: number; late: () => void; isStopped: boolean }[] = [];
    const harness = createHarness();
    const after = (ms: number, late: () => void) => {
      const clock = { ms, late, isStopped: false };
      clocks.push(clock);
      return () => {
        clock.isStopped = true;
      };
    };
    Object.assign(harness.ports, { after });
    const state = { cancelled: false };
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(bytesOf('{"question":')),
      pull: rest,
      cancel() {
        state.cancelled = true;
      },
    });
    const init = { method: "POST", headers: JSON_TYPE, body, duplex: "half" } as RequestInit;
    return { harness, clocks, state, answer: harness.request("/v1/runs", init) };
  }

  test("J7: one that stalls is 408 when its time is over, and is let go", async () => {
    const { harness, clocks, state, answer } = slow(() => new Promise(() => undefined));
    while (clocks.length === 0) await new Promise(setImmediate);
    expect(clocks.map(({ ms }) => ms)).toEqual([BODY_MS_MAX]);
    clocks[0]?.late();
    const response = await answer;
    expect(response.status).toBe(408);
    const problem = await readProblem(response);
    expect([problem.code, problem.detail]).toEqual([
      "body_timeout",
      "The body must be here within 30 seconds. Send the request again.",
    ]);
    expect(state.cancelled).toBe(true);
    expect(harness.callers.size).toBe(0);
  });

  test("J7: one that breaks off is 400, not a fault of ours", async () => {
    const { clocks, answer } = slow((controller) => controller.error(new Error("connection lost")));
    const response = await answer;
    expect([response.status, (await readProblem(response)).code]).toEqual([400, "body_incomplete"]);
    expect(clocks.map(({ isStopped }) => isStopped)).toEqual([true]);
  });

  test("the clock of one that comes whole is stopped", async () => {
    const { clocks, answer } = slow((controller) => {
      controller.enqueue(bytesOf('"How many?"}'));
      controller.close();
    });
    expect((await answer).status).toBe(202);
    expect(clocks.map(({ isStopped }) => isStopped)).toEqual([true]);
  });
});

describe("what is of the wrong kind is said in plain words", () => {
  test.each<[string, unknown, string, string]>([
    ["/v1/runs", [], "#", "The body must be an object, not a list."],
    ["/v1/runs", null, "#", "The body must be an object, not null."],
    ["/v1/runs", {}, "#/question", "Missing: it must be text."],
    ["/v1/runs", { question: 7 }, "#/question", "Must be text, not 7."],
    ["/v1/runs", { question: ["How many?"] }, "#/question", "Must be text, not a list."],
    ["/v1/runs", { question: "" }, "#/question", "The question is empty. Ask something."],
    ["/v1/runs", { question: "x", mode: "x" }, "#/mode", 'Must be "auto" or "manual", not the text "x".'],
    ["/v1/runs", { question: "x", limits: 3 }, "#/limits", "Must be an object, not 3."],
    ["/v1/runs", { question: "x", limits: { max_steps: "5" } }, "#/limits/max_steps", 'not the text "5"'],
    ["/v1/runs", { question: "x", limits: { max_steps: 1.5 } }, "#/limits/max_steps", "a whole number, not 1.5"],
    ["/v1/runs", { question: "x", limits: { max_steps: 0 } }, "#/limits/max_steps", "at least 1, not 0"],
    ["/v1/runs", { question: "x", limits: { budget_usd: -1 } }, "#/limits/budget_usd", "above 0, not -1"],
    ["/v1/runs", { question: "x", limits: { steps: 1 } }, "#/limits/steps", "The fields are max_steps, max_hops,"],
    ["/v1/runs", { question: "x", tools: "all" }, "#/tools", 'Must be a list, not the text "all".'],
    ["/v1/runs", { question: "x", tools: [1] }, "#/tools/0", "Must be text, not 1."],
    ["/v1/runs", { question: "x", tools: Array(40).fill("a") }, "#/tools", "at most 32 entries, not 40"],
    ["/v1/runs", { question: "x", model: true }, "#/model", "Must be text, not true."],
    ["/v1/runs", { question: "x", callback_url: {} }, "#/callback_url", "Must be text, not an object."],
    ["/v1/runs", { question: "x", stream: true }, "#/stream", "no such field. The fields are question, limits,"],
    ["/v1/estimate", { question: 7 }, "#/question", "Must be text, not 7."],
    ["/v1/runs/:id/continue", { limits: [] }, "#/limits", "Must be an object, not a list."],
    ["/v1/runs/:id/continue", { budget_usd: 1 }, "#/budget_usd", "The fields are limits."],
    ["/v1/runs/:id/fork", { step: "2" }, "#/step", 'Must be a number, not the text "2".'],
    ["/v1/runs/:id/fork", { step: -1 }, "#/step", "Must be at least 0, not -1."],
    ["/v1/runs/:id/cancel", { force: true }, "#/force", "There is no such field. Leave it out."],
    ["/v1/runs/:id/steps", [], "#", "The body must be an object, not a list."],
    ["/v1/runs/:id/resend", { to: "x" }, "#/to", "There is no such field. Leave it out."],
  ])("%s %j: %s", async (path, body, pointer, detail) => {
    const { ask, post } = createHarness();
    const response = await post(path.replace(":id", await ask()), body);
    expect(response.status).toBe(400);
    const problem = await readProblem(response);
    expect(problem.errors).toEqual([{ detail: expect.stringContaining(detail), pointer }]);
    expect(problem.detail).toContain(detail);
    expect(problem.detail).not.toContain("#: ");
    expect(JSON.stringify(problem)).not.toMatch(/Invalid input|expected|received|undefined/);
  });

  test.each([
    ["/v1/runs?limit=0", "limit", "Write a whole number from 1 to 100."],
    ["/v1/runs?cursor=", "cursor", "Must have at least 1 character."],
    ["/v1/usage?days=x", "days", "Write a whole number from 1 to 90."],
    ["/v1/runs/:id/results/r1?format=xml", "format", 'Must be "json" or "csv", not the text "xml".'],
    ["/v1/runs/:id/results/r1?from=0", "from", "Write the number of a row, from 1."],
    ["/v1/runs/:id/chart.svg?width=1", "width", "Write a width in pixels from 240 to 2000."],
    ["/v1/runs/:id/chart.svg?theme=pink", "theme", 'Must be "light" or "dark", not the text "pink".'],
    ["/v1/runs/:id/events?last_event_id=1&last_event_id=2", "last_event_id", "This parameter stands more than once."],
  ])("%s: %s", async (path, parameter, detail) => {
    const { ask, request } = createHarness();
    const response = await request(path.replace(":id", await ask()));
    expect(response.status).toBe(400);
    expect((await readProblem(response)).errors).toEqual([{ detail, parameter }]);
  });

  test("a body of thirty thousand faults is answered with the first twenty", async () => {
    const { post } = createHarness();
    const fields = Array.from({ length: 30_000 }, (_, index) => `"f${index}":1`).join(",");
    for (const body of [`{"question":"x",${fields}}`, `{"question":"x","limits":{${fields}}}`]) {
      const response = await post("/v1/runs", body);
      expect(response.status).toBe(400);
      const text = await response.text();
      expect((JSON.parse(text) as { errors: unknown[] }).errors).toHaveLength(20);
      expect(text.length).toBeLessThan(10_000);
    }
  });

  test("J11: a question of 100,000 characters of any script is told how long a question may be", async () => {
    const { post } = createHarness();
    for (const character of ["a", "é", "漢", "🎸", "\n", "\\"]) {
      const response = await post("/v1/runs", { question: `x${character.repeat(100_000)}x` });
      expect(response.status).toBe(400);
      expect((await readProblem(response)).detail).toBe(
        "#/question: The question has 100,002 characters; 4,000 are the most. Shorten it.",
      );
    }
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
