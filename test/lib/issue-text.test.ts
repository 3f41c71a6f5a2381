import { describe, expect, test } from "vitest";
import * as z from "zod";
import { tellIssue, tellSecretIssue } from "../../src/lib/issue-text.ts";

const SCHEMA = z.strictObject({
  text: z.string().min(1).max(3).optional(),
  count: z.int().min(1).max(9).optional(),
  share: z.number().positive().lt(1).optional(),
  flag: z.boolean().optional(),
  mode: z.enum(["auto", "manual", "off"]).optional(),
  list: z.array(z.string()).min(1).max(1).optional(),
  inner: z.strictObject({ name: z.string() }).optional(),
  wide: z.int().optional(),
  own: z.string({ error: "Words of its own." }).optional(),
});

/** zod also measures the length of what is of the wrong type: only the first fault of a place is told. */
function textOf(value: unknown, error: typeof tellIssue = tellIssue): string | undefined {
  return SCHEMA.safeParse(value, { error }).error?.issues[0]?.message;
}

describe("what does not fit a schema", () => {
  test.each([
    [[], "Must be an object, not a list."],
    [null, "Must be an object, not null."],
    ["x", 'Must be an object, not the text "x".'],
    [{ text: 7 }, "Must be text, not 7."],
    [{ text: true }, "Must be text, not true."],
    [{ text: null }, "Must be text, not null."],
    [{ text: [] }, "Must be text, not a list."],
    [{ text: {} }, "Must be text, not an object."],
    [{ text: "" }, "Must have at least 1 character."],
    [{ text: "x".repeat(1_000) }, "Must have at most 3 characters, not 1,000."],
    [{ count: "5" }, 'Must be a number, not the text "5".'],
    [{ count: "x".repeat(41) }, "Must be a number, not a text of 41 characters."],
    [{ count: "a\u0000" }, "Must be a number, not a text of 2 characters."],
    [{ count: 1.5 }, "Must be a whole number, not 1.5."],
    [{ count: 0 }, "Must be at least 1, not 0."],
    [{ count: 10 }, "Must be at most 9, not 10."],
    [{ share: 0 }, "Must be above 0, not 0."],
    [{ share: 1 }, "Must be below 1, not 1."],
    [{ share: Number.POSITIVE_INFINITY }, "Must be a number, not one that large."],
    [{ wide: 2 ** 60 }, "Must be a smaller number."],
    [{ flag: 0 }, "Must be true or false, not 0."],
    [{ mode: "x" }, 'Must be "auto", "manual" or "off", not the text "x".'],
    [{ list: "x" }, 'Must be a list, not the text "x".'],
    [{ list: [] }, "Must have at least 1 entry."],
    [{ list: ["a", "b"] }, "Must have at most 1 entry, not 2."],
    [{ inner: {} }, "Missing: it must be text."],
    [{ wrong: 1, no: 2 }, 'There is no such field: "wrong", "no".'],
    [{ own: 1 }, "Words of its own."],
  ])("%j: %s", (value, text) => {
    expect(textOf(value)).toBe(text);
  });

  test("of a setting no value is repeated", () => {
    const secrets = [
      { text: 7 },
      { count: "hunter2" },
      { mode: "hunter2" },
      { count: 77 },
      { list: "hunter2" },
      { inner: "hunter2" },
    ];
    const texts = secrets.map((value) => textOf(value, tellSecretIssue));
    expect(texts).toEqual([
      "Must be text, not a number.",
      "Must be a number, not text.",
      'Must be "auto", "manual" or "off", not text.',
      "Must be at most 9, not a number.",
      "Must be a list, not text.",
      "Must be an object, not text.",
    ]);
  });
});
