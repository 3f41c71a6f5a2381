/** A question of the run's to its person: asked once a round, bound to its call, free of the run's time. */
import { describe, expect, it } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import { prepareCall } from "../../src/agent/dispatch.ts";
import { ASK_USER, inquiryToAsk, replyTo, toInquiry } from "../../src/agent/inquiry.ts";
import { toPublicRunEvent } from "../../src/agent/run-event.ts";
import { createAskUserTool } from "../../src/tools/ask-user.ts";
import { answering, calling, functionModel, querying } from "../fakes/function-model.ts";
import { createMemoryRun, finalAnswerTool, queryTool } from "../fakes/memory-run.ts";
import { inquiryWith, START, stateWith, toolsAttempt, waitingForWord } from "./states.ts";

const tool = createAskUserTool();
const tools = new Map([[tool.name, tool]]);
const INPUT = { question: "Which do you mean?", options: ["Revenue", "Number of orders"] };
const asking = (id: string, input: unknown = INPUT) =>
  prepareCall({ id, name: ASK_USER, input }, tools, [ASK_USER], "");

describe("the question of a round", () => {
  it("is the first that is well made, and has its call's name in its id", () => {
    const state = stateWith({ phase: "action", messages: 2 });
    expect(inquiryToAsk(state, [asking("c1", {}), asking("c2"), asking("c3")])).toEqual({
      index: 1,
      inquiry: toInquiry("run_1", 1, "c2"),
    });
    expect(inquiryToAsk(state, [asking("c1", {})])).toBeNull();
    const ids = [toInquiry("a", 1, "c"), toInquiry("b", 1, "c"), toInquiry("a", 2, "c"), toInquiry("a", 1, "d")];
    expect(new Set(ids.map(({ id }) => id)).size).toBe(4);
    expect(ids[0]?.id).toMatch(/^[0-9a-f]{16}$/);
  });

  it("is asked once: an answered one is not asked again, and no other beside it", () => {
    const state = stateWith({ phase: "action", messages: 2, inquiry: inquiryWith({ reply: "Revenue" }) });
    expect(inquiryToAsk(state, [asking("c1"), asking("c2")])).toBeNull();
    expect(replyTo(state.inquiry, "c1")).toBe("Revenue");
    expect(replyTo(state.inquiry, "c2")).toBeNull();
    expect(replyTo(null, "c1")).toBeNull();
  });

  it("C45: takes no active time, and gives the run a day after the answer", () => {
    const later = START + 20 * 3_600_000;
    const answered = advance(
      waitingForWord(),
      { kind: "question_answered", reply: "Revenue", by: "anna" },
      later,
    ).state;
    expect(answered).toMatchObject({ waiting: null, inquiry: { reply: "Revenue" }, expiresAt: later + 86_400_000 });
    const acting = stateWith({ phase: "action", attempt: toolsAttempt() });
    const asked = { kind: "question_asked", index: 0, inquiry: inquiryWith() } as const;
    expect(() => advance(acting, asked, START)).toThrow("nothing is open while a person is asked");
    const word = { kind: "question_answered", reply: "Count", by: "anna" } as const;
    expect(() => advance(answered, word, later)).toThrow("a question that is open");
  });
});

describe("a run that asks back", () => {
  const replies = [
    () => calling([ASK_USER, INPUT], ["execute_read_only_sql", { sql: "SELECT 1" }]),
    () => querying("SELECT 2"),
    () => answering("1"),
  ];
  const runOf = (person?: () => "approved") => {
    const model = functionModel((request) => {
      const turn = request.messages.filter(({ role }) => role === "assistant").length;
      return (replies[turn] ?? (() => answering("1")))();
    });
    const sql = queryTool(() => ({ columns: ["n"], rows: [[1]] }));
    return createMemoryRun(model, { tools: [sql, finalAnswerTool, tool], ...(person && { person }) });
  };

  it("waits, shows the question with its options, and hands the answer to the model", async () => {
    const run = runOf();
    expect(await run.step()).toMatchObject({ kind: "wait" });
    const told = run.events().at(-1);
    expect(told && toPublicRunEvent(told, run.messageAt)).toMatchObject({
      type: "question_asked",
      inquiry: run.state().inquiry?.id,
      index: 0,
      ...INPUT,
    });
    expect(run.state().usage.rowsRead).toBe(0);
    const answered = runOf(() => "approved");
    await answered.finish();
    expect(answered.state()).toMatchObject({ ending: { outcome: "answered" }, inquiry: null, usage: { rowsRead: 20 } });
    const results = answered.messages().flatMap((message) => (message.role === "tool" ? message.results : []));
    expect(results[0]?.content).toContain('"reply":"Revenue"');
    expect(answered.state().usage.activeMs).toBeLessThan(60_000);
  });

  it("C45: ends as expired when nobody answers for a day", async () => {
    const run = runOf();
    await run.finish();
    expect(run.state()).toMatchObject({ ending: { stopReason: "expired", answer: null } });
  });

  it("may write its arguments as JSON text", () => {
    const event = {
      type: "question_asked",
      at: START,
      step: 1,
      phase: "action",
      inquiry: "q1",
      message: 0,
      index: 0,
    } as const;
    const call = { id: "c1", name: ASK_USER, input: JSON.stringify(INPUT) };
    const said = { role: "assistant", content: [], text: "", calls: [call] } as const;
    expect(toPublicRunEvent({ ...event, until: START }, () => said)).toMatchObject(INPUT);
    expect(toPublicRunEvent({ ...event, until: START }, () => null)).toMatchObject({ question: "", options: [] });
  });
});
