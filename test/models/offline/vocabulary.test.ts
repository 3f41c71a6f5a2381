import { describe, expect, it } from "vitest";
import {
  EMPTY_WORDS,
  isDemonym,
  monthOf,
  numberWord,
  scaleOf,
  spellingsOf,
} from "../../../src/models/offline/vocabulary.ts";

describe("word lists", () => {
  it("numbers, scales and months", () => {
    expect([numberWord("five"), numberWord("twenty"), numberWord("many")]).toEqual([5, 20, null]);
    expect([scaleOf("million"), scaleOf("k"), scaleOf("x")]).toEqual([1_000_000, 1_000, null]);
    expect([monthOf("March"), monthOf("sep"), monthOf("marching")]).toEqual([3, 9, null]);
  });

  it("a place may be written otherwise, the word itself first", () => {
    expect(spellingsOf("French")).toEqual(["French", "France"]);
    expect(spellingsOf("US")[0]).toBe("US");
    expect(spellingsOf("US")).toContain("USA");
    expect([isDemonym("Brazilian"), isDemonym("Brazil")]).toEqual([true, false]);
  });

  it("passes over politeness, not over numbers or negations", () => {
    expect([EMPTY_WORDS.has("please"), EMPTY_WORDS.has("not"), EMPTY_WORDS.has("three")]).toEqual([true, false, false]);
  });
});
