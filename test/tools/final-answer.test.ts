import { describe, expect, it } from "vitest";
import { CHART_KINDS } from "../../src/agent/chart-wish.ts";
import { createFinalAnswerTool } from "../../src/tools/final-answer.ts";
import { contextWith, resultOf, runTool } from "./world.ts";

const tool = createFinalAnswerTool();
const stored = [resultOf(3, { columns: ["name", "n"] }), resultOf(1, { ref: "r2" })];
const answer = (input: object) => runTool(tool, { answer: "347", ...input }, contextWith({ stored }));
const cite = (parts: object = {}) => ({ figure: "347", result: "r1", row: 1, column: "n", ...parts });

describe("final_answer", () => {
  it("gives the answer with its references, those of the citations included, each once", async () => {
    const citations = [cite(), cite({ result: "r2" })];
    const output = await answer({ results: ["r1", "r1"], citations });
    expect(output.final).toEqual({ answer: "347", results: ["r1", "r2"], citations, chart: null });
    expect(output.observation.status).toBe("success");
  });

  it("needs no references: whether they are wanted is the run's decision", async () => {
    expect((await answer({})).final).toEqual({ answer: "347", results: [], citations: [], chart: null });
  });

  it("trims the answer", async () => {
    expect((await answer({ answer: " 347\n" })).final?.answer).toBe("347");
  });

  it.each([
    ["a result that does not exist", { results: ["r9"] }, "there is no result r9"],
    ["a citation of one", { citations: [cite({ result: "r9" })] }, "there is no result r9"],
    ["a row that does not exist", { citations: [cite({ row: 4 })] }, "r1 has 3 rows, not 4"],
    ["a column that does not exist", { citations: [cite({ column: "total" })] }, "r1 has no column total"],
  ])("%s is an error, and no answer", async (_what, input, problem) => {
    const { observation, final } = await answer(input);
    expect(observation).toMatchObject({
      status: "error",
      summary: `The answer's references are not right: ${problem}.`,
    });
    expect(observation.next_actions).toEqual(["Send final_answer again with references from the observations."]);
    expect(final).toBeUndefined();
  });

  it("the last row of a result may be cited", async () => {
    expect((await answer({ citations: [cite({ row: 3 })] })).final?.citations).toHaveLength(1);
  });

  it("names several problems, five at most", async () => {
    const { observation } = await answer({ results: ["a", "b", "c", "d", "e", "f"] });
    expect(observation.summary.match(/there is no result/g)).toHaveLength(5);
  });

  it("hands on the picture that is asked for; its result is one that the answer rests on", async () => {
    const { final, observation } = await answer({ results: ["r1"], chart: { kind: "line", result: "r2" } });
    expect(final).toMatchObject({ results: ["r1", "r2"], chart: { kind: "line", result: "r2" } });
    expect(observation.status).toBe("success");
  });

  it("a picture that cannot be never costs the answer: it is left out, and that is said", async () => {
    const { final, observation } = await answer({ results: ["r1"], chart: { kind: "hologram" } });
    expect(final).toMatchObject({ answer: "347", results: ["r1"], chart: null });
    expect(observation).toMatchObject({ status: "warning", next_actions: [] });
    expect(observation.summary).toMatch(/^Answer received, without its chart\. chart\.kind: /);
  });

  it("shows the model which pictures there are", () => {
    expect(tool.inputSchema).toMatchObject({
      properties: { chart: { type: "object", properties: { kind: { enum: CHART_KINDS } }, required: ["kind"] } },
      required: ["answer"],
    });
  });

  it.each([
    [{}],
    [{ answer: "" }],
    [{ answer: "  " }],
    [{ answer: 5 }],
    [{ answer: "x", citations: [cite({ row: 0 })] }],
    [{ answer: "x", citations: [{ figure: "1" }] }],
    [{ answer: "x", results: "r1" }],
    [{ answer: "x", done: true }],
  ])("A15: %j is refused by its schema", (input) => {
    expect(tool.check(input).ok).toBe(false);
  });
});
