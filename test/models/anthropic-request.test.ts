/** The body of a request to the Messages API: order, marks, what is never sent, and the bound of its tokens. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message, ModelRequest } from "../../src/agent/model.ts";
import {
  ADDED_TOKENS_MAX,
  boundPromptTokens,
  type PrefixTtl,
  toCountBody,
  toMessagesBody,
} from "../../src/models/anthropic-request.ts";
import { createMeter } from "../fakes/anthropic-meter.ts";
import type { JsonObject } from "../fakes/anthropic-rules.ts";
import { firstFault, isObject, markedBlocks } from "../fakes/anthropic-rules.ts";
import { ask, infoOf, SQL_TOOL } from "./requests.ts";

const MODEL = infoOf();

/** The body as it arrives: through JSON. */
function bodyOf(request: ModelRequest, ttl: PrefixTtl = "5m"): JsonObject {
  const body: unknown = JSON.parse(JSON.stringify(toMessagesBody(request, MODEL, ttl)));
  if (!isObject(body)) throw new Error("the body is no object");
  return body;
}

const said = (...names: readonly string[]): Message => ({
  role: "assistant",
  content: names.map((id) => ({ type: "tool_use", id, name: SQL_TOOL.name, input: { sql: id } })),
  text: "",
  calls: names.map((id) => ({ id, name: SQL_TOOL.name, input: { sql: id } })),
});
const told = (note: string | undefined, ...names: readonly string[]): Message => ({
  role: "tool",
  results: names.map((callId) => ({ callId, content: `{"of":"${callId}"}`, isError: callId.startsWith("bad") })),
  ...(note === undefined ? {} : { note }),
});

describe("messages", () => {
  test("R2: all results of a reply go in one user message, in order, results first and the note after", () => {
    const body = bodyOf(
      ask({ messages: [{ role: "user", text: "?" }, said("a", "bad_b"), told("Two steps left.", "a", "bad_b")] }),
    );
    expect(body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "?", cache_control: { type: "ephemeral" } }] },
      { role: "assistant", content: [expect.objectContaining({ id: "a" }), expect.objectContaining({ id: "bad_b" })] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: '{"of":"a"}' },
          { type: "tool_result", tool_use_id: "bad_b", content: '{"of":"bad_b"}', is_error: true },
          { type: "text", text: "Two steps left.", cache_control: { type: "ephemeral" } },
        ],
      },
    ]);
    expect(firstFault(body, "create")).toBeNull();
  });

  test("blank texts are never sent: note, system, question, and a reply without content", () => {
    const messages: Message[] = [
      { role: "user", text: " \n" },
      said("a"),
      told("  ", "a"),
      { role: "assistant", content: [], text: "", calls: [] },
      { role: "user", text: "And?" },
    ];
    const body = bodyOf(ask({ system: " ", messages }));
    expect(body).not.toHaveProperty("system");
    expect(JSON.stringify(body.messages)).not.toMatch(/"text":"\s*"/);
    expect(firstFault(body, "create")).toBeNull();
  });

  test("a result without content is sent without an empty text and without a mark", () => {
    const empty: Message = { role: "tool", results: [{ callId: "a", content: "", isError: false }] };
    const body = bodyOf(ask({ messages: [{ role: "user", text: "?" }, said("a"), empty] }));
    expect(body.messages).toMatchObject([{}, {}, { content: [{ type: "tool_result", tool_use_id: "a" }] }]);
    expect(markedBlocks(body).filter((block) => block.cache_control !== undefined)).toHaveLength(2);
    expect(firstFault(body, "create")).toBeNull();
  });

  test("content of another vendor is said again from the neutral fields", () => {
    const foreign: Message = {
      role: "assistant",
      content: { role: "assistant", content: "Hm." },
      text: "Hm.",
      calls: [{ id: "call_1", name: "q", input: { a: 1 } }],
    };
    const body = bodyOf(ask({ messages: [{ role: "user", text: "?" }, foreign, told(undefined, "call_1")] }));
    expect(body.messages).toMatchObject([
      {},
      {
        content: [
          { type: "text", text: "Hm." },
          { type: "tool_use", id: "call_1", name: "q", input: { a: 1 } },
        ],
      },
      {},
    ]);
    expect(firstFault(body, "create")).toBeNull();
  });

  test("lone surrogates are replaced wherever they stand, and nothing else changes", () => {
    const half = "\ud83d";
    const odd: Message = {
      role: "assistant",
      content: [{ type: "tool_use", id: "a", name: "q", input: { [`k${half}`]: [`v${half}`] } }],
      text: "",
      calls: [{ id: "a", name: "q", input: {} }],
    };
    const body = bodyOf(
      ask({
        system: `s${half}`,
        messages: [{ role: "user", text: `${half}q 😀 \\ud83d` }, odd, told(`n${half}`, "a")],
      }),
    );
    expect(JSON.stringify(body)).not.toMatch(/[^\\]\\ud83d/);
    expect(JSON.stringify(body)).toContain("\ufffdq 😀 \\\\ud83d");
    expect(JSON.stringify(body)).toContain('{"k\ufffd":["v\ufffd"]}');
  });

  test("max_tokens is never above what the model can give", () => {
    expect(bodyOf(ask({ maxTokens: 500_000 })).max_tokens).toBe(128_000);
  });

  test("the body has no sampling parameter, no forced tool choice, and the count body no max_tokens", () => {
    expect(Object.keys(bodyOf(ask()))).toEqual(["model", "max_tokens", "tools", "system", "messages", "tool_choice"]);
    expect(bodyOf(ask({ tools: [], toolChoice: "none" }))).not.toHaveProperty("tool_choice");
    expect(firstFault(toCountBody(ask(), MODEL), "count")).toBeNull();
  });
});

describe("R3: cache marks", () => {
  test("stand on the system block, where the step before ended, and on the last block", () => {
    const messages = [
      { role: "user", text: "?" } as const,
      said("a"),
      told(undefined, "a"),
      said("b", "c"),
      told("Note.", "b", "c"),
    ];
    const marked = markedBlocks(bodyOf(ask({ messages }))).filter((block) => block.cache_control !== undefined);
    expect(marked).toMatchObject([
      { type: "text", text: ask().system },
      { tool_use_id: "a" },
      { type: "text", text: "Note." },
    ]);
  });

  test("a call that forbids tools, the last of a run, writes nothing that nobody will read", () => {
    const messages = [{ role: "user", text: "?" } as const, said("a"), told(undefined, "a")];
    const marked = markedBlocks(bodyOf(ask({ messages, toolChoice: "none" }))).filter(
      (block) => block.cache_control !== undefined,
    );
    expect(marked).toMatchObject([{ type: "text", text: ask().system }]);
  });

  test("for an hour where the caller wishes it: the stable one alone, on the system block or the last tool, in a count too", () => {
    const messages = [{ role: "user", text: "?" } as const, said("a"), told(undefined, "a")];
    for (const request of [ask({ messages }), ask({ messages, system: "" })]) {
      const marksOf = (body: object) =>
        markedBlocks(JSON.parse(JSON.stringify(body))).flatMap((block) => block.cache_control ?? []);
      const [long, short] = [{ type: "ephemeral", ttl: "1h" }, { type: "ephemeral" }];
      expect(marksOf(toMessagesBody(request, MODEL, "1h"))).toEqual([long, short, short]);
      expect(marksOf(toCountBody(request, MODEL, "1h"))).toEqual([long, short, short]);
      expect(marksOf(toMessagesBody(request, MODEL, "5m"))).toEqual([short, short, short]);
    }
    const alone = ask({ tools: [], toolChoice: "none" });
    expect(JSON.stringify(toMessagesBody(alone, MODEL, "1h"))).not.toContain('cache_control":{"type":"ephemeral","ttl');
  });

  test("without a system prompt the last tool carries the stable mark", () => {
    const marked = markedBlocks(bodyOf(ask({ system: "" }))).filter((block) => block.cache_control !== undefined);
    expect(marked).toMatchObject([{ name: SQL_TOOL.name }, { text: "How many albums are there?" }]);
  });
});

/** Any text, with everything that makes JSON longer or shorter than its text. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ maxLength: 60 }),
  fc.constantFrom("😀".repeat(20), "\u0000\u0007", "ü", '"\\', " "),
);
const anyInput = fc.dictionary(
  fc.string({ maxLength: 8 }),
  fc.oneof(anyText, fc.integer(), fc.boolean(), fc.array(anyText, { maxLength: 3 })),
  { maxKeys: 4 },
);

/** A conversation of any length, every call answered, as the loop would build it. */
const anyRequest = fc
  .record({
    system: anyText,
    question: anyText,
    rounds: fc.array(
      fc.record({
        text: anyText,
        inputs: fc.array(anyInput, { maxLength: 5 }),
        content: anyText,
        note: fc.option(anyText, { nil: undefined }),
      }),
      { maxLength: 6 },
    ),
    withTools: fc.boolean(),
  })
  .map(({ system, question, rounds, withTools }): ModelRequest => {
    const messages: Message[] = [{ role: "user", text: question }];
    for (const [index, round] of rounds.entries()) {
      const calls = withTools
        ? round.inputs.map((input, n) => ({ id: `toolu_${index}_${n}`, name: SQL_TOOL.name, input }))
        : [];
      const texts = round.text.trim() === "" ? [] : [{ type: "text", text: round.text, citations: null }];
      messages.push({
        role: "assistant",
        content: [...texts, ...calls.map((call) => ({ type: "tool_use", ...call }))],
        text: round.text,
        calls,
      });
      messages.push(
        calls.length === 0
          ? { role: "user", text: round.note ?? "Go on." }
          : {
              role: "tool",
              results: calls.map((call) => ({ callId: call.id, content: round.content, isError: false })),
              ...(round.note === undefined ? {} : { note: round.note }),
            },
      );
    }
    return ask({ system, messages, tools: withTools ? [SQL_TOOL] : [] });
  });

describe("properties", () => {
  test("the bound is never below the tokens of the body, even at one token a byte", () => {
    const worst = createMeter("bytes");
    fc.assert(
      fc.property(anyRequest, (request) => {
        const bound = boundPromptTokens(request, MODEL);
        expect(bound).toBeGreaterThanOrEqual(worst.count(bodyOf(request)));
        // Marks are counted in, the longest as well.
        const bytes = Buffer.byteLength(JSON.stringify(bodyOf(request, "1h")));
        expect(bound - ADDED_TOKENS_MAX).toBeGreaterThanOrEqual(bytes);
      }),
      { numRuns: 300 },
    );
    expect(ADDED_TOKENS_MAX).toBeGreaterThanOrEqual(600);
  });

  test("every conversation that the loop can build is accepted by the rules of the API", () => {
    fc.assert(
      fc.property(anyRequest, fc.constantFrom("5m", "1h"), (request, ttl) => {
        expect(firstFault(bodyOf(request, ttl), "create")).toBeNull();
        expect(JSON.stringify(bodyOf(request)).isWellFormed()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("R1: a longer conversation begins with the body of the shorter one, cache marks aside", () => {
    const unmarked = (request: ModelRequest) =>
      JSON.parse(JSON.stringify(bodyOf(request)), (key, value) => (key === "cache_control" ? undefined : value));
    fc.assert(
      fc.property(anyRequest, fc.nat(), (request, cut) => {
        const whole = unmarked(request).messages;
        const kept = request.messages.slice(0, 1 + (cut % request.messages.length));
        const shorter = unmarked({ ...request, messages: kept }).messages;
        expect(whole.slice(0, shorter.length)).toEqual(shorter);
      }),
      { numRuns: 200 },
    );
  });
});
