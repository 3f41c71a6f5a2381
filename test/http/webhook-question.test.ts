import { describe, expect, test } from "vitest";
import type { QuestionPart } from "../../src/config/doors.ts";
import { fillQuestion } from "../../src/http/webhook-question.ts";

const place = (...path: string[]): QuestionPart => ({ kind: "place", path });
const text = (words: string): QuestionPart => ({ kind: "text", text: words });

describe("fillQuestion", () => {
  const payload = {
    data: { question: "How many?", n: 3, yes: true, list: ["a", { b: "deep" }], "": "empty", "a/b": "slash" },
    nothing: null,
  };

  test.each([
    [[place("data", "question")], "How many?"],
    [[text("Why "), place("data", "n"), text(", "), place("data", "yes"), text("?")], "Why 3, true?"],
    [[place("data", "list", "0")], "a"],
    [[place("data", "list", "1", "b")], "deep"],
    [[place("data", "")], "empty"],
    [[place("data", "a/b")], "slash"],
    [[text("Always the same?")], "Always the same?"],
  ])("%j gives %j", (parts, question) => {
    expect(fillQuestion(parts, payload)).toEqual({ ok: true, value: question });
  });

  test.each([
    [["data"], "#/data"],
    [["data", "list"], "#/data/list"],
    [["data", "list", "2"], "#/data/list/2"],
    [["data", "list", "-"], "#/data/list/-"],
    [["data", "list", "00"], "#/data/list/00"],
    [["data", "list", "length"], "#/data/list/length"],
    [["data", "question", "length"], "#/data/question/length"],
    [["nothing"], "#/nothing"],
    [["nothing", "x"], "#/nothing/x"],
    [["constructor", "name"], "#/constructor/name"],
    [["__proto__"], "#/__proto__"],
    [["toString"], "#/toString"],
    [["data", "a~/b"], "#/data/a~0~1b"],
  ])("%j finds no text and says where", (path, pointer) => {
    expect(fillQuestion([text("Why "), place(...path)], payload)).toEqual({ ok: false, error: pointer });
  });
});
