/** From a call as the model wrote it to a checked one, or to an error that it can mend (A15, B7, B9, B10, B67, C28). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DEFAULT_LOOP, type RecentCall } from "../../src/agent/cycles.ts";
import { prepareCall, refuseOverHops, refuseRepeated } from "../../src/agent/dispatch.ts";
import { success } from "../../src/agent/observation.ts";
import { type CheckedCall, defineTool, type Tool } from "../../src/agent/tool.ts";

const tool = (name: string, input: z.ZodType<object> = z.strictObject({ sql: z.string() })): Tool =>
  defineTool({
    name,
    description: "For tests.",
    input,
    run: async () => ({ observation: success("ran"), rowsRead: 0, query: null }),
  });

const final = tool(
  "final_answer",
  z.strictObject({ answer: z.string().min(1), results: z.array(z.string()).optional() }),
);
const TOOLS = new Map(
  [tool("list"), tool("list_tables"), tool("execute"), tool("hidden"), final].map((one) => [one.name, one]),
);
const ALLOWED = ["list", "list_tables", "execute", "final_answer", "not_deployed"];

const runChecked = (checked: CheckedCall) =>
  checked.run({
    signal: new AbortController().signal,
    rowsReadMax: 0,
    memo: { notes: [], plan: [], brainstormed: false },
    described: [],
    bookmark: null,
    reply: null,
    results: { get: () => null, put: () => Promise.reject(new Error("nothing is kept here")) },
  });

const prepare = (name: string, input: unknown = { sql: "SELECT 1" }, said = "") =>
  prepareCall({ id: "c1", name, input }, TOOLS, ALLOWED, said);

describe("prepareCall", () => {
  it("an exact name with right arguments is ready, without a note", () => {
    expect(prepare("execute")).toMatchObject({ kind: "ready", name: "execute", note: null, call: { id: "c1" } });
  });

  it.each([
    ["executeexecute", "execute"],
    ["execute(sql)", "execute"],
    ["list_tableslist_tables", "list_tables"],
    ["list_table", "list"],
  ])("B9: %s is taken for the longest name it starts with, and the model is told", (given, name) => {
    const prepared = prepare(given);
    expect(prepared).toMatchObject({ kind: "ready", name });
    expect(prepared.kind === "ready" && prepared.note).toBe(
      `There is no tool "${given}"; ${name} was run. Use its exact name.`,
    );
  });

  it.each(["nope", "", "xexecute", "Execute", "exec", "final_answerfinal_answer", "__proto__", "constructor"])(
    "B10: %j is no tool: the error lists exactly the allowed ones",
    (name) => {
      const prepared = prepare(name);
      expect(prepared).toMatchObject({ kind: "refused", refusedBy: null, observation: { status: "error" } });
      if (prepared.kind !== "refused") throw new Error("refused");
      expect(prepared.observation.next_actions).toEqual([`Call one of: ${ALLOWED.join(", ")}.`]);
      expect(prepared.observation.data).toEqual({ tools: ALLOWED });
    },
  );

  it("B7: a tool that the run may not use is not found, by its name or by a garbled one", () => {
    expect(prepare("hidden").kind).toBe("refused");
    expect(prepare("hiddenhidden").kind).toBe("refused");
  });

  it("a tool that is allowed and not deployed is not found", () => {
    expect(prepare("not_deployed").kind).toBe("refused");
  });

  it("B9: a longer name that is not deployed does not stand before a shorter one that is", () => {
    const prepared = prepareCall(
      { id: "c1", name: "list_views2", input: { sql: "x" } },
      TOOLS,
      ["list", "list_views"],
      "",
    );
    expect(prepared).toMatchObject({ kind: "ready", name: "list" });
  });

  it("eight problems of the arguments are told, and no more", () => {
    const fields = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`field${index}`, z.string()]));
    const picky = new Map([["picky", tool("picky", z.strictObject(fields))]]);
    const prepared = prepareCall({ id: "c1", name: "picky", input: {} }, picky, ["picky"], "");
    if (prepared.kind !== "refused") throw new Error("refused");
    expect(prepared.observation.summary.match(/field\d:/g)).toHaveLength(8);
  });

  it("C8: with no tools allowed nothing is found, and the error says so", () => {
    const prepared = prepareCall({ id: "c1", name: "execute", input: { sql: "x" } }, TOOLS, [], "");
    expect(prepared.kind === "refused" && prepared.observation.next_actions).toEqual(["Call one of: none."]);
  });

  it.each([
    ["an extra key", { sql: "x", limit: 1 }],
    ["a missing key", {}],
    ["a wrong type", { sql: 1 }],
    ["no object", "SELECT 1"],
    ["nothing", null],
    ["a list", []],
  ])("A15: %s is an error observation that names the tool", (_what, input) => {
    const prepared = prepare("execute", input);
    if (prepared.kind !== "refused") throw new Error("refused");
    expect(prepared.refusedBy).toBeNull();
    expect(prepared.observation.summary).toMatch(/^The arguments of execute are not right: ./);
    expect(prepared.observation.next_actions).toEqual(["Send execute again with exactly the fields of its schema."]);
  });

  it("arguments that come as JSON text are read", () => {
    expect(prepare("execute", '{"sql":"SELECT 1"}').kind).toBe("ready");
    expect(prepare("execute", '{"sql":').kind).toBe("refused");
  });

  it("model text in an error stays short and whole", () => {
    const prepared = prepare(`${"x".repeat(63)}😀${"y".repeat(5_000)}`);
    if (prepared.kind !== "refused") throw new Error("refused");
    expect(prepared.observation.summary.length).toBeLessThan(120);
    expect(prepared.observation.summary.isWellFormed()).toBe(true);
    expect(prepare("x".repeat(64)).kind === "refused").toBe(true);
    const exact = prepare("x".repeat(64));
    expect(exact.kind === "refused" && exact.observation.summary).toContain(`"${"x".repeat(64)}"`);
    const over = prepare("x".repeat(65));
    expect(over.kind === "refused" && over.observation.summary).toContain(`"${"x".repeat(64)}…"`);
  });

  it("nothing that a model writes throws", () => {
    fc.assert(
      fc.property(fc.string(), fc.anything(), fc.string(), (name, input, said) => {
        expect(["ready", "refused"]).toContain(prepare(name, input, said).kind);
      }),
    );
  });
});

describe("final_answer without an answer", () => {
  it.each([[{}], [{ answer: "" }], [{ answer: " \n" }], ["{}"]])(
    "B67: for %j the text beside it is the answer",
    (input) => {
      const prepared = prepare("final_answer", input, " It is 347. ");
      expect(prepared).toMatchObject({
        kind: "ready",
        note: "The call held no answer, so the text beside it was taken.",
      });
    },
  );

  it.each([
    ["no text beside it", {}, "  "],
    ["an answer that is no text", { answer: 5 }, "It is 347."],
    ["no object", [], "It is 347."],
  ])("B67: with %s it is an error", (_what, input, said) => {
    expect(prepare("final_answer", input, said).kind).toBe("refused");
  });

  it("B67: the text is taken trimmed, as the answer and nothing else", async () => {
    const taken: unknown[] = [];
    const keeping = defineTool({
      name: "final_answer",
      description: "For tests.",
      input: z.strictObject({ answer: z.string(), results: z.array(z.string()).optional() }),
      run: async (input) => {
        taken.push(input);
        return { observation: success("ran"), rowsRead: 0, query: null };
      },
    });
    const call = { id: "c1", name: "final_answer", input: { results: ["r1"] } };
    const prepared = prepareCall(call, new Map([["final_answer", keeping]]), ["final_answer"], " 347. ");
    if (prepared.kind !== "ready") throw new Error("ready");
    await runChecked(prepared.checked);
    expect(taken).toEqual([{ answer: "347.", results: ["r1"] }]);
  });

  it("B67: arguments that are no object at all are an error, whatever stands beside them", () => {
    for (const input of [5, null, "text", true, undefined]) {
      expect(prepareCall({ id: "c1", name: "final_answer", input }, TOOLS, ALLOWED, "347.").kind).toBe("refused");
    }
  });

  it("B67: text beside the call of another tool is left alone", () => {
    expect(prepare("execute", { sql: "SELECT 1" }, "Let me see.")).toMatchObject({ kind: "ready", note: null });
  });

  it("B67: an answer that is there stands, and no other tool takes the text", () => {
    expect(prepare("final_answer", { answer: "347" }, "Something else.")).toMatchObject({ kind: "ready", note: null });
    expect(prepare("execute", {}, "It is 347.").kind).toBe("refused");
  });
});

describe("refuseOverHops", () => {
  it("A21: answers the call, says why, and does not count it", () => {
    const refused = refuseOverHops({ id: "c9", name: "execute", input: {} });
    expect(refused).toMatchObject({ kind: "refused", refusedBy: "hops", call: { id: "c9" } });
    expect(refused.kind === "refused" && refused.observation.summary).toBe(
      "execute was not run: no tool calls are left in this run.",
    );
    expect(refused.kind === "refused" && refused.observation.next_actions).toEqual([
      "Answer with what has been found.",
    ]);
  });
});

describe("refuseRepeated", () => {
  const ready = prepare("execute");
  const signature = ready.kind === "ready" ? ready.checked.signature : "";
  const seen = (parts: Partial<RecentCall> = {}): RecentCall => ({
    signature,
    result: "same",
    tool: "execute",
    step: 2,
    isError: false,
    ref: "r1",
    ...parts,
  });
  const times = (count: number, parts: Partial<RecentCall> = {}) => Array.from({ length: count }, () => seen(parts));

  it.each([
    [2, "ready"],
    [3, "refused"],
    [4, "refused"],
  ])("C28, C29: after %s equal failures the call is %s", (count, kind) => {
    const prepared = refuseRepeated(ready, times(count, { isError: true, ref: null }), 0, DEFAULT_LOOP);
    expect(prepared.kind).toBe(kind);
    if (prepared.kind !== "refused") return;
    expect(prepared).toMatchObject({ refusedBy: "breaker", observation: { status: "error" } });
    expect(prepared.observation.next_actions[0]).toContain("Change the approach");
  });

  it("C28: failures of another call do not open the breaker", () => {
    const other = times(5, { isError: true, signature: "other" });
    expect(refuseRepeated(ready, other, 0, DEFAULT_LOOP).kind).toBe("ready");
  });

  it("C28: a call that has failed once is not blamed for the failures of others", () => {
    const others = times(5, { isError: true, signature: "other" });
    expect(refuseRepeated(ready, [seen({ isError: true }), ...others], 0, DEFAULT_LOOP).kind).toBe("ready");
  });

  it("B8: a call that was made before and is no part of the cycle may be made again", () => {
    const turning = times(3, { signature: "other", ref: "r9" });
    expect(refuseRepeated(ready, [seen(), ...turning], 1, DEFAULT_LOOP).kind).toBe("ready");
    expect(refuseRepeated(ready, [seen()], 1, DEFAULT_LOOP).kind).toBe("ready");
    expect(refuseRepeated(ready, [], 1, DEFAULT_LOOP).kind).toBe("ready");
  });

  it("B8: each call of a longer cycle is refused, with its own earlier result", () => {
    const other = seen({ signature: "other", ref: "r2" });
    const refused = refuseRepeated(ready, [seen(), other, seen(), other], 1, DEFAULT_LOOP);
    expect(refused.kind === "refused" && refused.observation.summary).toContain("its rows are in r1");
    expect(refused.kind === "refused" && refused.observation.next_actions).toEqual([
      "Use that result, try something else, or call final_answer.",
    ]);
  });

  it("B8: a call of a cycle is refused once the model has been warned, and told where its rows are", () => {
    expect(refuseRepeated(ready, times(3), 0, DEFAULT_LOOP).kind).toBe("ready");
    const refused = refuseRepeated(ready, times(3), 1, DEFAULT_LOOP);
    expect(refused).toMatchObject({ kind: "refused", refusedBy: "cycle", observation: { status: "warning" } });
    expect(refused.kind === "refused" && refused.observation.summary).toContain("its rows are in r1");
    const bare = refuseRepeated(ready, times(3, { ref: null }), 1, DEFAULT_LOOP);
    expect(bare.kind === "refused" && bare.observation.summary).toContain("its result is in step 2");
  });

  it("never touches final_answer, nor a call that is refused already", () => {
    const answer = prepare("final_answer", { answer: "347" });
    const own = answer.kind === "ready" ? times(9, { signature: answer.checked.signature, isError: true }) : [];
    expect(refuseRepeated(answer, own, 2, DEFAULT_LOOP)).toBe(answer);
    const refused = refuseOverHops({ id: "c1", name: "execute", input: {} });
    expect(refuseRepeated(refused, times(9), 2, DEFAULT_LOOP)).toBe(refused);
  });
});
