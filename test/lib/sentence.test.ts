import { expect, it } from "vitest";
import { toSentence } from "../../src/lib/sentence.ts";

it.each([
  ["There is no table Salary", "There is no table Salary."],
  ["Gone.", "Gone."],
  ["Which one?", "Which one?"],
  ["Stop!", "Stop!"],
])("%s ends as a sentence", (text, sentence) => {
  expect(toSentence(text)).toBe(sentence);
});
