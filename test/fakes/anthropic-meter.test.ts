/** The fake's tokens and its prompt cache, by the documented rules. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMeter } from "./anthropic-meter.ts";
import type { FakeModel, JsonObject } from "./anthropic-rules.ts";
import { FAKE_MODELS } from "./anthropic-rules.ts";

const MODEL: FakeModel = {
  contextWindow: 1_000_000,
  maxOutputTokens: 128_000,
  minCacheableTokens: 512,
  thinking: [],
  forcedToolChoice: false,
};
const MARK = { cache_control: { type: "ephemeral" } };
const HOUR = { cache_control: { type: "ephemeral", ttl: "1h" } };
const words = (count: number, word = "word") => `${word} `.repeat(count);
const block = (count: number, mark: object = {}) => ({ type: "text", text: words(count), ...mark });
const body = (fields: JsonObject): JsonObject => ({
  model: "claude-sonnet-5-5",
  messages: [{ role: "user", content: "hi" }],
  ...fields,
});

/** Charges and commits, one call after the other. */
function meterOf(model = MODEL) {
  const meter = createMeter();
  return (request: JsonObject, now = 0) => {
    const { usage, commit } = meter.charge(request, model, now);
    commit();
    return {
      read: usage.cache_read_input_tokens,
      written: usage.cache_creation_input_tokens,
      rest: usage.input_tokens,
    };
  };
}

test("a marked prefix is written once and read afterwards", () => {
  const charge = meterOf();
  const request = body({ system: [block(600, MARK)] });
  expect(charge(request)).toEqual({ read: 0, written: 600, rest: 5 });
  expect(charge(request)).toEqual({ read: 600, written: 0, rest: 5 });
});

test("nothing is cached without a mark, or under the minimum", () => {
  const charge = meterOf();
  expect(charge(body({ system: [block(600)] }))).toMatchObject({ read: 0, written: 0 });
  expect(charge(body({ system: [block(511, MARK)] }))).toMatchObject({ read: 0, written: 0, rest: 516 });
  expect(charge(body({ system: [block(511, MARK)] }))).toMatchObject({ read: 0, written: 0 });
});

test("an entry lasts 5 minutes or an hour after its last use", () => {
  const charge = meterOf();
  const short = body({ system: [block(600, MARK)] });
  charge(short, 0);
  expect(charge(short, 299_999)).toMatchObject({ read: 600 });
  expect(charge(short, 599_998)).toMatchObject({ read: 600 });
  expect(charge(short, 899_998)).toMatchObject({ read: 0, written: 600 });
  const long = body({ system: [block(700, HOUR)] });
  charge(long, 0);
  expect(charge(long, 3_599_999)).toMatchObject({ read: 700 });
});

test("writes are told apart by lifetime", () => {
  const request = body({ system: [block(600, HOUR)], messages: [{ role: "user", content: [block(10, MARK)] }] });
  expect(createMeter().charge(request, MODEL, 0).usage).toMatchObject({
    cache_creation_input_tokens: 614,
    cache_creation: { ephemeral_1h_input_tokens: 600, ephemeral_5m_input_tokens: 14 },
  });
});

test("a mark finds an entry up to 20 blocks before it and no further", () => {
  const grown = (blocks: number) =>
    body({
      messages: [
        {
          role: "user",
          content: [block(600), ...Array(blocks).fill(block(1))].map((one, index, all) =>
            index === all.length - 1 ? { ...one, ...MARK } : one,
          ),
        },
      ],
    });
  const near = meterOf();
  near(grown(0));
  expect(near(grown(20))).toMatchObject({ read: 604, written: 20 });
  const far = meterOf();
  far(grown(0));
  expect(far(grown(21))).toMatchObject({ read: 0, written: 625 });
});

test("a changed tool loses everything, a changed tool choice only the messages", () => {
  const charge = meterOf();
  const request = body({
    tools: [{ name: "q", input_schema: {} }],
    system: [block(600, MARK)],
    messages: [{ role: "user", content: [block(100, MARK)] }],
  });
  const first = charge(request);
  expect(charge({ ...request, tool_choice: { type: "none" } }).read).toBe(first.written - 104);
  expect(charge({ ...request, tools: [{ name: "r", input_schema: {} }] }).read).toBe(0);
});

test("an entry can be read only after the reply that wrote it has begun", () => {
  const meter = createMeter();
  const request = body({ system: [block(600, MARK)] });
  const one = meter.charge(request, MODEL, 0);
  const two = meter.charge(request, MODEL, 0);
  expect(two.usage.cache_read_input_tokens).toBe(0);
  one.commit();
  expect(meter.charge(request, MODEL, 0).usage.cache_read_input_tokens).toBe(600);
});

test("a mark at the top level goes to the last block", () => {
  const charge = meterOf();
  const request = body({ ...MARK, system: words(600) });
  expect(charge(request)).toMatchObject({ written: 605, rest: 0 });
  expect(charge(request)).toMatchObject({ read: 605 });
});

test("the parts of a prompt always add up to the whole, and tokens never outnumber bytes", () => {
  const charge = meterOf();
  const meter = createMeter();
  const anyMark = fc.constantFrom({}, MARK);
  const anyBlock = fc
    .record({ text: fc.string({ unit: "binary", minLength: 1, maxLength: 700 }), mark: anyMark })
    .map(({ text, mark }) => ({ type: "text", text, ...mark }));
  fc.assert(
    fc.property(fc.array(anyBlock, { minLength: 1, maxLength: 4 }), fc.nat(1_000_000), (content, now) => {
      const request = body({ messages: [{ role: "user", content }] });
      const { read, written, rest } = charge(request, now);
      expect(read + written + rest).toBe(meter.count(request));
      expect(Math.min(read, written, rest)).toBeGreaterThanOrEqual(0);
      expect(meter.count(request)).toBeLessThanOrEqual(createMeter("bytes").count(request));
      expect(createMeter("bytes").count(request)).toBeLessThanOrEqual(Buffer.byteLength(JSON.stringify(request)));
    }),
  );
});

test("the smallest prefixes are those of the models", () => {
  expect(FAKE_MODELS.get("claude-sonnet-5-5")?.minCacheableTokens).toBe(512);
  expect(FAKE_MODELS.get("claude-haiku-4-5")?.minCacheableTokens).toBe(4_096);
});
