/** Queries that wait for a person (C45, C47, C48): who is asked what, what a yes allows, and what waiting costs. */
import { describe, expect, it } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import { queriesToAsk, refuseDeclined, rowsUnasked, toApproval } from "../../src/agent/approval.ts";
import { deadlineAt } from "../../src/agent/clock.ts";
import { prepareCall, refuseOverHops } from "../../src/agent/dispatch.ts";
import type { Model, ModelOutcome } from "../../src/agent/model.ts";
import { failure } from "../../src/agent/observation.ts";
import { toPublicRunEvent } from "../../src/agent/run-event.ts";
import type { AgentState } from "../../src/agent/state.ts";
import { type CheckedCall, type Foreseen, NOTHING_FORESEEN, type Tool } from "../../src/agent/tool.ts";
import { ok } from "../../src/lib/result.ts";
import { calling, functionModel, querying, saying } from "../fakes/function-model.ts";
import {
  createMemoryRun,
  finalAnswerTool,
  type MemoryOptions,
  type MemoryRun,
  queryTool,
} from "../fakes/memory-run.ts";
import { approvalWith, START, stateWith, toolsAttempt, waitingForYes } from "./states.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const tool = queryTool(() => ({ columns: ["n"], rows: [[1]] }));
const tools = new Map([[tool.name, tool]]);
const foreseen = (rowsRead: number, parts: Partial<Foreseen> = {}): Foreseen => ({
  ...NOTHING_FORESEEN,
  rowsRead,
  tables: ["Album"],
  ...parts,
});
const ready = (id: string, sql = "SELECT 1") =>
  prepareCall({ id, name: tool.name, input: { sql } }, tools, [tool.name], "");
const asking = (parts: Partial<AgentState> = {}) => stateWith({ phase: "action", approveAboveRows: 100, ...parts });

/** The query tool with parts of each of its calls replaced. */
function toolWith(parts: (input: unknown, call: CheckedCall) => Partial<CheckedCall>): Tool {
  const check: Tool["check"] = (input) => {
    const checked = tool.check(input);
    return checked.ok ? ok({ ...checked.value, ...parts(input, checked.value) }) : checked;
  };
  return { ...tool, check };
}

/** Says the next of `replies` whenever the conversation has grown by one reply. */
function scripted(replies: readonly (() => ModelOutcome)[]): Model {
  return functionModel((request) => {
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    return (replies[turn] ?? (() => saying("Done.")))();
  });
}

describe("whether a person is asked", () => {
  it.each([
    ["nobody said so", null, 1e9, 0],
    ["few rows", 100, 100, 0],
    ["more rows", 100, 101, 1],
    ["any rows at all", 0, 2, 1],
    ["no rows", 0, 0, 0],
  ])("%s: above %s of %s rows asks about %s", (_what, approveAboveRows, rows, count) => {
    expect(queriesToAsk(asking({ approveAboveRows }), [ready("c1")], [foreseen(rows)])).toHaveLength(count);
  });

  it("only about the dear ones of a round, each with its place, tables and plan", () => {
    const calls = [ready("c1"), ready("c2"), ready("c3")];
    const plan = () => ["SCAN Album"];
    const asked = queriesToAsk(asking(), calls, [foreseen(5), foreseen(700, { plan }), foreseen(900)]);
    expect(asked).toEqual([
      { index: 1, rowsRead: 700, tables: ["Album"], plan: ["SCAN Album"] },
      { index: 2, rowsRead: 900, tables: ["Album"], plan: [] },
    ]);
  });

  it("never about a call that is not run anyway", () => {
    const call = { id: "c1", name: tool.name, input: { sql: "SELECT 1" } };
    expect(queriesToAsk(asking(), [refuseOverHops(call)], [foreseen(700)])).toEqual([]);
  });

  it("names thirty tables at the most", () => {
    const tables = Array.from({ length: 40 }, (_, index) => `t${index}`);
    const [asked] = queriesToAsk(asking(), [ready("c1")], [foreseen(700, { tables })]);
    expect(asked?.tables).toEqual(tables.slice(0, 30));
  });

  it("and a plan of any length is shown within bounds, with what is left out", () => {
    const plan = () => Array.from({ length: 500 }, () => "x".repeat(5_000));
    const [asked] = queriesToAsk(asking(), [ready("c1")], [foreseen(700, { plan })]);
    expect(asked?.plan).toHaveLength(31);
    expect(asked?.plan.at(-1)).toBe("… and 470 more lines");
    expect(Math.max(...(asked?.plan ?? []).map((line) => line.length))).toBe(200);
  });
});

describe("what a yes allows", () => {
  const approved = (rowsRead: number): AgentState => {
    const call = { id: "c1", name: tool.name, input: { sql: "SELECT 1" } };
    const { calls } = toApproval("run_1", 1, [call], [{ index: 0, rowsRead, tables: [], plan: [] }]);
    return asking({ approval: approvalWith({ calls, decision: "approved" }) });
  };

  it("C47: is exactly these arguments: another query, and the same one under another call, ask again", () => {
    expect(queriesToAsk(approved(700), [ready("c1")], [foreseen(700)])).toEqual([]);
    expect(queriesToAsk(approved(700), [ready("c1", "SELECT 2")], [foreseen(700)])).toHaveLength(1);
    expect(queriesToAsk(approved(700), [ready("c2")], [foreseen(700)])).toHaveLength(1);
  });

  it("C47: is what was shown: a plan that has grown beyond its margin asks again", () => {
    expect(queriesToAsk(approved(700), [ready("c1")], [foreseen(700 * 4 + 1_000)])).toEqual([]);
    expect(queriesToAsk(approved(700), [ready("c1")], [foreseen(700 * 4 + 1_001)])).toHaveLength(1);
  });

  it("C47: who is asked again sees all dear queries of the round: one word takes the place of another", () => {
    const calls = [ready("c1"), ready("c2", "SELECT 2"), ready("c3", "SELECT 3")];
    const asked = queriesToAsk(approved(700), calls, [foreseen(700), foreseen(900), foreseen(5)]);
    expect(asked.map(({ index }) => index)).toEqual([0, 1]);
    const all = toApproval(
      "run_1",
      1,
      calls.map(({ call }) => call),
      asked,
    );
    const allowed = asking({ approval: { ...all, decision: "approved" } });
    expect(queriesToAsk(allowed, calls, [foreseen(700), foreseen(900), foreseen(5)])).toEqual([]);
  });

  it("rows that may be read unasked: as set, never none, as many as were allowed", () => {
    const { call } = ready("c1");
    expect(rowsUnasked(asking({ approveAboveRows: null }), call)).toBe(Number.MAX_SAFE_INTEGER);
    expect(rowsUnasked(asking(), call)).toBe(100);
    expect(rowsUnasked(asking({ approveAboveRows: 0 }), call)).toBe(1);
    expect(rowsUnasked(approved(700), call)).toBe(3_800);
    expect(rowsUnasked(approved(700), ready("c2").call)).toBe(100);
  });

  it("the id says what was asked: run, place, every argument and the rows of its plan", () => {
    const query = { index: 0, tables: [], plan: [] };
    const id = (runId: string, message: number, sql: string, rowsRead = 700) =>
      toApproval(runId, message, [{ id: "c1", name: tool.name, input: { sql } }], [{ ...query, rowsRead }]).id;
    const ids = [id("a", 1, "x"), id("b", 1, "x"), id("a", 2, "x"), id("a", 1, "y"), id("a", 1, "x", 9_000)];
    expect(new Set(ids).size).toBe(5);
    expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(id("a", 1, "x")).toBe(ids[0]);
  });
});

describe("what a no does", () => {
  it("answers the call in words, with the person's note as text, and asks no second time", () => {
    const { calls } = toApproval("run_1", 1, [ready("c1").call], [{ index: 0, rowsRead: 700, tables: [], plan: [] }]);
    const declined = asking({ approval: approvalWith({ calls, decision: "declined", note: 'Use "2025" only.' }) });
    expect(queriesToAsk(declined, [ready("c1")], [foreseen(700)])).toEqual([]);
    // Nor about another one of the round: a yes to that would take the place of the no.
    expect(queriesToAsk(declined, [ready("c1"), ready("c2")], [foreseen(700), foreseen(700)])).toEqual([]);
    expect(rowsUnasked(declined, ready("c2").call)).toBe(100);
    const refused = refuseDeclined(ready("c1"), declined);
    expect(refused).toMatchObject({ kind: "refused", refusedBy: "person" });
    expect(refused.kind === "refused" && refused.observation.summary).toContain(
      'The person says: "Use \\"2025\\" only."',
    );
    expect(refused.kind === "refused" && refused.observation.next_actions[0]).toContain("Do not send it again");
    expect(refuseDeclined(ready("c2"), declined).kind).toBe("ready");
    const silent = asking({ approval: approvalWith({ calls, decision: "declined" }) });
    const plain = refuseDeclined(ready("c1"), silent);
    expect(plain.kind === "refused" && plain.observation.summary).toMatch(/declined it\.$/);
    const over = refuseOverHops(ready("c1").call);
    expect(refuseDeclined(over, declined)).toBe(over);
  });
});

describe("waiting for a person", () => {
  it("C45: takes no active time and moves no deadline, and has a day of its own", () => {
    const asked = advance(
      asking({ messages: 2, dueAt: START }),
      { kind: "approval_asked", queries: [], approval: approvalWith() },
      START + 5,
    ).state;
    expect(asked).toMatchObject({
      waiting: { kind: "approval", until: START + 5 + DAY_MS },
      expiresAt: START + 5 + DAY_MS,
    });
    const later = START + 20 * HOUR_MS;
    const decided = advance(
      asked,
      { kind: "approval_decided", decision: "approved", note: null, by: "anna" },
      later,
    ).state;
    expect(decided.usage.activeMs).toBe(asked.usage.activeMs);
    expect(decided.waiting).toBeNull();
    expect(decided.expiresAt).toBe(later + DAY_MS);
    expect(deadlineAt(decided, later)).toBe(later + decided.limits.wallClockMs - asked.usage.activeMs);
  });

  it("is not begun while something is open: that is a bug", () => {
    const acting = asking({ attempt: toolsAttempt() });
    const asked = { kind: "approval_asked", queries: [], approval: approvalWith() } as const;
    expect(() => advance(acting, asked, START)).toThrow("nothing is open while a person is asked");
  });

  it("a decision without a question is a bug, and so is a second one", () => {
    const decide = { kind: "approval_decided", decision: "approved", note: null, by: "anna" } as const;
    expect(() => advance(asking(), decide, START)).toThrow("a question that is open");
    const once = advance(waitingForYes(), decide, START).state;
    expect(() => advance(once, decide, START)).toThrow("a question that is open");
  });

  it("can be cancelled, and asks nothing any more", () => {
    const ended = advance(waitingForYes(), { kind: "cancelled", partial: null }, START).state;
    expect(ended).toMatchObject({ waiting: null, approval: null, ending: { outcome: "cancelled" } });
  });
});

describe("a run", () => {
  const runOf = (person: MemoryOptions["person"], options: MemoryOptions = {}): MemoryRun =>
    createMemoryRun(scripted([() => querying("SELECT n FROM t"), () => saying("One.")]), {
      tools: [tool, finalAnswerTool],
      run: { approveAboveRows: 5 },
      ...(person === undefined ? {} : { person }),
      ...options,
    });
  const told = (run: MemoryRun) => run.events().map((event) => event.type);

  it("C45: waits, is allowed, runs the query once, and is charged for none of the wait", async () => {
    const run = runOf(() => "approved");
    await run.finish();
    expect(run.state()).toMatchObject({ ending: { outcome: "answered" }, usage: { rowsRead: 10 }, approval: null });
    expect(run.state().usage.activeMs).toBeLessThan(HOUR_MS / 60);
    expect(told(run).filter((type) => type.startsWith("approval_"))).toEqual(["approval_asked", "approval_decided"]);
    expect(told(run).filter((type) => type === "tool_observed")).toHaveLength(1);
  });

  it("C48: shows SQL, plan, tables, rows and dollars", async () => {
    const run = runOf(undefined);
    expect(await run.step()).toMatchObject({ kind: "wait" });
    const event = run.events().at(-1);
    expect(event && toPublicRunEvent(event, run.messageAt)).toMatchObject({
      type: "approval_asked",
      queries: [
        { index: 0, sql: "SELECT n FROM t", tables: ["T"], rows_read: 10, cost_usd: 0.00000001, plan: ["SCAN T"] },
      ],
    });
  });

  it("goes on without a query that was declined: no row is read, no error is counted", async () => {
    const run = runOf(() => "declined");
    await run.finish();
    expect(run.state()).toMatchObject({ ending: { outcome: "answered" }, usage: { rowsRead: 0, errors: 0 } });
    expect(run.state().consecutiveErrors).toBe(0);
    const answers = run.messages().flatMap((message) => (message.role === "tool" ? message.results : []));
    expect(answers.map(({ content }) => content).join()).toContain("a person was shown this query and declined it");
  });

  it("C45: that nobody answers for a day ends as expired, having read nothing", async () => {
    const run = runOf(undefined);
    await run.finish();
    expect(run.state()).toMatchObject({ ending: { stopReason: "expired", answer: null }, usage: { rowsRead: 0 } });
  });

  it("does not let a query through whose plan could not be had when it was asked for", async () => {
    const rowsMax: number[] = [];
    const blind = toolWith((_input, call) => ({
      run: (context) => {
        rowsMax.push(context.rowsReadMax);
        return call.run(context);
      },
      foresee: async () => NOTHING_FORESEEN,
    }));
    const run = runOf(undefined, { tools: [blind, finalAnswerTool] });
    await run.finish();
    expect(rowsMax).toEqual([5]);
  });

  it("asks again in the next step: a yes serves one round", async () => {
    const replies = [() => querying("SELECT n FROM t"), () => querying("SELECT m FROM t"), () => saying("One.")];
    const run = createMemoryRun(scripted(replies), {
      tools: [tool, finalAnswerTool],
      run: { approveAboveRows: 5 },
      person: () => "approved",
    });
    await run.finish();
    expect(told(run).filter((type) => type === "approval_asked")).toHaveLength(2);
  });
});

describe("one round with dear and cheap queries", () => {
  it("is asked about as a whole, and runs as a whole", async () => {
    const both = () => calling([tool.name, { sql: "SELECT 1" }], [tool.name, { sql: "SELECT 2" }]);
    const run = createMemoryRun(scripted([both, () => saying("Done.")]), {
      tools: [tool, finalAnswerTool],
      run: { approveAboveRows: 9 },
      person: () => "approved",
    });
    await run.finish();
    const asked = run.events().find((event) => event.type === "approval_asked");
    expect(asked?.type === "approval_asked" && asked.queries).toHaveLength(2);
    expect(run.state().usage.rowsRead).toBe(20);
  });

  it.each([
    ["approved", ["1", "2"], 20, [1, 2]],
    ["declined", [], 0, [1]],
  ] as const)("is asked about to an end when a plan is told late: %s", async (word, read, rowsRead, asked) => {
    // Of the second query nothing can be foreseen the first time.
    let isSecondLook = false;
    const ran: string[] = [];
    const late = toolWith((input, call) => {
      const number = JSON.stringify(input).includes("SELECT 1") ? "1" : "2";
      return {
        foresee: async () => {
          const isKnown = number === "1" || isSecondLook;
          isSecondLook ||= number === "2";
          return isKnown ? foreseen(10) : NOTHING_FORESEEN;
        },
        run: async (context) => {
          if (context.rowsReadMax < 10) return { observation: failure("Too many rows.", []), rowsRead: 0, query: null };
          ran.push(number);
          return call.run(context);
        },
      };
    });
    const both = () => calling([tool.name, { sql: "SELECT 1" }], [tool.name, { sql: "SELECT 2" }]);
    const run = createMemoryRun(scripted([both, () => saying("Done.")]), {
      tools: [late, finalAnswerTool],
      run: { approveAboveRows: 9 },
      person: () => word,
    });
    await run.finish();
    const events = run.events().filter((event) => event.type === "approval_asked");
    expect(events.map(({ queries }) => queries.length)).toEqual(asked);
    expect(ran.sort()).toEqual(read);
    expect(run.state()).toMatchObject({ ending: { outcome: "answered" }, usage: { rowsRead } });
  });
});
