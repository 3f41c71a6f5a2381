/**
 * The Claude adapter inside real workerd, where `fetch`, timers and abort signals are the platform's own. The fake runs
 * in Node, started by vitest's globalSetup (test/fakes/fake-anthropic-setup.ts); each test makes a lane over HTTP.
 */
import { describe, expect, inject, test } from "vitest";
import { createAnthropicModel } from "../../src/models/anthropic.ts";
import type { ScriptItem } from "../fakes/anthropic-script.ts";
import { cut, hang, raw, stall, status, text, toolUse } from "../fakes/anthropic-script.ts";
import { answered, ask, failureOf, infoOf, NEVER, replyOf } from "./requests.ts";

/** Absent where a run of vitest was configured without the setup file. */
const baseUrl: string | undefined = inject("fakeAnthropicUrl");

async function start(lane: string, script: readonly ScriptItem[]) {
  await fetch(`${baseUrl}/__fake/lanes/${lane}`, { method: "PUT", body: JSON.stringify({ script }) });
  const state = async (): Promise<unknown> => (await fetch(`${baseUrl}/__fake/lanes/${lane}`)).json();
  return { model: createAnthropicModel({ apiKey: lane, baseUrl, info: infoOf() }), state };
}

test.skipIf(baseUrl === undefined)(
  "a step with a tool call and the step after it are accepted by the strict fake",
  async () => {
    const { model, state } = await start("workers-steps", [
      [text("I look."), toolUse("execute_read_only_sql", { sql: "SELECT 1" })],
      text("347."),
    ]);
    const request = ask({ messages: [{ role: "user", text: "How many \ud83d albums?" }] });
    const first = replyOf(await model.complete(request, NEVER));
    expect(first).toMatchObject({ finish: "tool_use", calls: [{ input: { sql: "SELECT 1" } }] });
    expect(await model.countInputTokens(request, NEVER)).toBeGreaterThan(0);
    expect(replyOf(await model.complete(answered(request, first), NEVER)).text).toBe("347.");
    expect(await state()).toMatchObject({ unused: 0, problems: [], requests: [{ fault: null }, { fault: null }] });
  },
);

describe.skipIf(baseUrl === undefined)("failures", () => {
  test.each([
    ["no answer", hang(), { kind: "retryable", code: "timeout", unbilled: false }],
    ["headers and then nothing", stall(), { kind: "retryable", code: "timeout", unbilled: false }],
    ["a cut body", cut(), { kind: "retryable", code: "connection", unbilled: false }],
    ["529", status(529, { retryAfter: 2 }), { kind: "retryable", code: "overloaded", retryAfterMs: 2_000 }],
    [
      "a redirect",
      raw("", { status: 307, headers: { location: "http://127.0.0.1:9/" } }),
      { kind: "fatal", code: "unexpected_status", unbilled: true },
    ],
    ["cut JSON", raw('{"content":['), { kind: "retryable", code: "malformed_reply", unbilled: false }],
  ])("%s", async (what, item, expected) => {
    const { model, state } = await start(`workers-${what.replaceAll(" ", "-")}`, [item]);
    const timeoutMs = "code" in expected && expected.code === "timeout" ? 80 : 5_000;
    expect(failureOf(await model.complete(ask({ timeoutMs }), NEVER))).toMatchObject(expected);
    expect(await state()).toMatchObject({ unused: 0, problems: [] });
  });

  test("our signal ends the call", async () => {
    const { model } = await start("workers-abort", [hang()]);
    const controller = new AbortController();
    const outcome = model.complete(ask(), controller.signal);
    controller.abort();
    expect(failureOf(await outcome)).toMatchObject({ kind: "aborted" });
  });
});
