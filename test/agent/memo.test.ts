import { describe, expect, it } from "vitest";
import { createFinalAnswerTool } from "../../src/tools/final-answer.ts";
import { createNotesTool } from "../../src/tools/notes.ts";
import { createPlanTool } from "../../src/tools/plan.ts";
import { answering, calling, functionModel, PRICED, replied, saying } from "../fakes/function-model.ts";
import { createMemoryRun, finalAnswerTool, queryTool } from "../fakes/memory-run.ts";

const query = queryTool((sql) => ({ columns: ["sql"], rows: [[sql]] }));
const tools = [query, finalAnswerTool, createNotesTool(), createPlanTool()];
const brainstorm = { difficulty: "Two joins.", approaches: ["join", "subquery"], pitfalls: "NULLs." };

describe("notes and plan", () => {
  it("B14, B42–B44: a plan is refused before a brainstorm and taken after it", async () => {
    const replies = [
      calling(["plan", { items: ["count"] }]),
      calling(["notes", { brainstorm: { ...brainstorm, approaches: ["only one"] } }]),
      calling(["notes", { brainstorm }]),
      calling(["plan", { items: ["count", "answer"] }]),
      answering("Done."),
    ];
    const run = createMemoryRun(
      functionModel((_request, call) => replies[call] ?? saying("x")),
      { tools },
    );
    await run.finish();
    const errors = run
      .messages()
      .flatMap((message) => (message.role === "tool" ? message.results.map((result) => result.isError) : []));
    expect(errors).toEqual([true, true, false, false, false]);
    expect(run.state().memo).toMatchObject({ plan: ["count", "answer"], brainstormed: true });
    expect(run.state().memo.notes[0]).toContain("Two joins.");
  });

  it("B58: notes and plan stand in the fresh transcript of a full window, as they were written", async () => {
    const note = "Sketch:\n```sql\nSELECT 1\n```";
    const replies = [
      calling(["notes", { note, brainstorm }]),
      calling(["plan", { items: ["count"] }]),
      answering("Done."),
    ];
    const model = functionModel(
      (_request, call) => {
        const reply = replies[call];
        if (reply?.kind !== "reply") return saying("x");
        const usage = { input: call === 1 ? 9_000 : 10, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 1 };
        return { kind: "reply", reply: { ...reply.reply, usage } };
      },
      { ...PRICED, contextWindow: 10_000 },
    );
    const run = createMemoryRun(model, { tools });
    await run.finish();
    const opening = JSON.stringify(run.calls[2]?.request.messages);
    expect(opening).toContain("Plan 1. count");
    expect(opening).toContain("```sql");
  });
});

describe("an answer beside an empty final_answer", () => {
  it.each([{}, { answer: "" }, { answer: "  ", results: [] }])("B67: %j takes the text of the reply", async (input) => {
    const reply = replied({ text: "It is 4.", calls: [{ id: "a", name: "final_answer", input }] });
    const run = createMemoryRun(
      functionModel(() => reply),
      { tools: [createFinalAnswerTool()] },
    );
    await run.finish();
    expect(run.state().ending).toMatchObject({ outcome: "answered", answer: "It is 4." });
    expect(JSON.stringify(run.messages())).toContain("the text beside it was taken");
  });

  it("B67: without any text it is an error that the model is told", async () => {
    const replies = [calling(["final_answer", { answer: "" }]), answering("Four.")];
    const run = createMemoryRun(
      functionModel((_request, call) => replies[call] ?? saying("x")),
      { tools: [createFinalAnswerTool()] },
    );
    await run.finish();
    expect(run.state()).toMatchObject({ usage: { errors: 1 }, ending: { answer: "Four." } });
  });
});
