import { describe, expect, it } from "vitest";
import { readDate } from "../../../src/models/offline/dates.ts";
import { parseTokens } from "../../../src/models/offline/question-tokens.ts";

/** The first date of a text, wherever it stands. */
function dateIn(text: string): string | null {
  const tokens = parseTokens(text);
  for (let at = 0; at < tokens.length; at += 1) {
    const found = readDate(tokens, at);
    if (found !== null) return `${found.date.from}..${found.date.to}`;
  }
  return null;
}

describe("dates in a question", () => {
  it.each([
    ["in 2023", "2023-01-01..2024-01-01"],
    ["in March 2023", "2023-03-01..2023-04-01"],
    ["in December 2023", "2023-12-01..2024-01-01"],
    ["on 2023-02-28", "2023-02-28..2023-03-01"],
    ["on 5 March 2023", "2023-03-05..2023-03-06"],
    ["on March 31, 2023", "2023-03-31..2023-04-01"],
    ["in Q4 2022", "2022-10-01..2023-01-01"],
    ["after 1950", "1950-01-01..1951-01-01"],
  ])("reads %s as a half-open range", (text, range) => {
    expect(dateIn(text)).toBe(range);
  });

  it("takes a four-digit number for a year only where the words say so", () => {
    expect(dateIn("a capacity over 2000")).toBeNull();
    expect(dateIn("invoice 2021")).toBeNull();
  });
});
