import { describe, expect, it } from "vitest";
import { isCapitalised, parseTokens } from "../../../src/models/offline/question-tokens.ts";

const texts = (question: string): string[] => parseTokens(question).map((token) => token.text);

describe("tokens of a question", () => {
  it("keeps names with odd characters whole", () => {
    expect(texts("tracks by AC/DC or R&B, e-mail?")).toEqual([
      "tracks",
      "by",
      "AC/DC",
      "or",
      "R&B",
      ",",
      "e-mail",
      "?",
    ]);
  });

  it("reads numbers with separators and signs", () => {
    expect(parseTokens("over $1,250.50").map((token) => token.value)[1]).toBe(1250.5);
  });

  it("takes quoted text as one, of whatever quotes", () => {
    expect(
      parseTokens('the ‘Big One’ and "x y"')
        .filter((token) => token.kind === "quoted")
        .map((token) => token.text),
    ).toEqual(["Big One", "x y"]);
  });

  it("tells a possessive from a quote", () => {
    expect(parseTokens("the country's customers'").map((token) => token.kind)).toEqual([
      "word",
      "word",
      "possessive",
      "word",
      "possessive",
    ]);
  });

  it("writes out contractions and lists of names", () => {
    expect(texts("doesn't have")).toEqual(["does", "not", "have"]);
    expect(texts("first and last names")).toEqual(["first", "name", "and", "last", "name"]);
  });

  it("knows which word opens a sentence", () => {
    const [first, second] = parseTokens("Show Canada. List");
    expect([first?.opens, second?.opens]).toEqual([true, false]);
    expect(second === undefined ? false : isCapitalised(second)).toBe(true);
  });
});
