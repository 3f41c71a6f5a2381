import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toAnswerBlocks, toAnswerParts } from "../../../src/web/client/answer-parts.ts";

const cite = (...figures: readonly string[]) =>
  figures.map((figure, index) => ({ figure, result: "r1", row: index + 1, column: "n" }));
/** Figures in brackets, strong text in stars. */
function show(answer: string, ...figures: readonly string[]): string {
  return toAnswerParts(answer, cite(...figures))
    .map(({ kind, text, strong }) => {
      const shown = kind === "figure" ? `[${text}]` : text;
      return strong ? `*${shown}*` : shown;
    })
    .join("");
}

describe("the parts of an answer", () => {
  test.each([
    ["There are 59 customers.", ["59"], "There are [59] customers."],
    ["Rock has 1,297 of 3,503 tracks.", ["1,297", "3,503"], "Rock has [1,297] of [3,503] tracks."],
    ["5 of 59, 59 of 595, and 1.59", ["5", "59"], "[5] of [59], [59] of 595, and 1.59"],
    ["It is $2,328.60 in all.", ["2,328.60", "2"], "It is $[2,328.60] in all."],
    ["A share of 12.5%.", ["12.5%"], "A share of [12.5%]."],
    ["Track12 and r1", ["12", "1"], "Track12 and r1"],
    ["**1297** tracks are **rock**", ["1297"], "*[1297]* tracks are *rock*"],
    ["no figures", [], "no figures"],
    ["odd (a+b) figure", ["(a+b)"], "odd [(a+b)] figure"],
  ])("%s", (answer, figures, expected) => {
    expect(show(answer, ...figures)).toBe(expected);
  });

  test("a figure leads to the first cell that is cited for it", () => {
    const [, part] = toAnswerParts("It is 7.", [
      { figure: "7", result: "r2", row: 3, column: "a" },
      { figure: "7", result: "r1", row: 1, column: "b" },
    ]);
    expect(part?.citation).toEqual({ figure: "7", result: "r2", row: 3, column: "a" });
  });

  test("lines with a dash are a list, empty lines part paragraphs", () => {
    const blocks = toAnswerBlocks("Two:\n- a 1\n* b\n\nAnd\nmore", cite("1"));
    expect(
      blocks.map(({ kind, items }) => [kind, items.map((parts) => parts.map((part) => part.text).join(""))]),
    ).toEqual([
      ["paragraph", ["Two:"]],
      ["list", ["a 1", "b"]],
      ["paragraph", ["And\nmore"]],
    ]);
  });

  test("no character of an answer is lost or made, but for the stars of strong text", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string({ minLength: 1, maxLength: 4 })), (answer, figures) => {
        const text = toAnswerParts(answer, cite(...figures))
          .map((part) => part.text)
          .join("");
        expect(text).toBe(answer.split(/\*\*([^*\n]+)\*\*/).join(""));
      }),
    );
  });
});
