/** One round of tool calls: all run, bounded, answered in order, each observation within its bound (A5, A21, C15, C22). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { prepareCall, refuseOverHops } from "../../src/agent/dispatch.ts";
import {
  failure,
  OBSERVATION_BYTES_MAX,
  type Observation,
  observationSchema,
  success,
  warning,
} from "../../src/agent/observation.ts";
import { type Round, type RoundResult, runRound } from "../../src/agent/round.ts";
import { defineTool, type StoredResult, type Tool, type ToolContext, type ToolOutput } from "../../src/agent/tool.ts";
import { byteLength } from "../../src/lib/bytes.ts";
import { sha256Hex } from "../../src/lib/hash.ts";

const none = { rowsRead: 0, query: null };

function probe(run: (name: string, context: ToolContext) => Promise<ToolOutput>): Tool {
  return defineTool({
    name: "probe",
    description: "For tests.",
    input: z.strictObject({ as: z.string() }),
    run: ({ as }, context) => run(as, context),
  });
}

const answerTool = defineTool({
  name: "final_answer",
  description: "Ends the run.",
  input: z.strictObject({ answer: z.string() }),
  run: async ({ answer }) => ({
    ...none,
    observation: success("Answer received."),
    final: { answer, results: [], citations: [] },
  }),
});

/** Runs `probe` once for each name, in one round; a name that starts with `=` is a `final_answer` with that text. */
function roundOf(
  tool: Tool,
  names: readonly string[],
  parts: Partial<Round> = {},
  overHops: readonly string[] = [],
): Promise<RoundResult> {
  const tools = new Map([tool, answerTool].map((one) => [one.name, one]));
  const calls = names.map((as, index) => {
    const isFinal = as.startsWith("=");
    const call = isFinal
      ? { id: `c${index}`, name: "final_answer", input: { answer: as.slice(1) } }
      : { id: `c${index}`, name: "probe", input: { as } };
    return overHops.includes(as) ? refuseOverHops(call) : prepareCall(call, tools, [...tools.keys()], "");
  });
  let clock = 1_000;
  return runRound({
    calls,
    stored: [],
    signal: new AbortController().signal,
    rowsReadMax: calls.map(() => 500),
    consecutiveErrors: 0,
    consecutiveErrorsMax: 3,
    step: 4,
    question: "How many?",
    memo: { notes: [], plan: [], brainstormed: false },
    inquiry: null,
    described: [],
    bookmark: null,
    failing: [],
    allowed: ["probe", "final_answer"],
    now: () => (clock += 10),
    ...parts,
  });
}

const readBack = (content: string): Observation => observationSchema.parse(JSON.parse(content));
const rowsOf = (cell: string) => ({ sql: cell, columns: ["n"], rows: [[cell]], totalRows: 1, truncated: false });

describe("runRound", () => {
  it("A5, C15: every call has exactly one outcome, in the order of the calls", async () => {
    const tool = probe(async (name) => ({ ...none, observation: success(name) }));
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const { outcomes } = await roundOf(tool, names);
    expect(outcomes.map(({ callId, summary }) => `${callId}=${summary}`)).toEqual(
      names.map((name, index) => `c${index}=${name}`),
    );
  });

  it("a reply without calls gives nothing", async () => {
    expect(
      await roundOf(
        probe(async () => Promise.reject(new Error("never"))),
        [],
      ),
    ).toEqual({
      outcomes: [],
      newResults: [],
      quarantined: false,
    });
  });

  it("A21: runs reads in parallel, four at a time and no more", async () => {
    let running = 0;
    let most = 0;
    const tool = probe(async (name) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => setImmediate(resolve));
      running -= 1;
      return { ...none, observation: success(name) };
    });
    await roundOf(tool, ["a", "b", "c", "d", "e", "f", "g", "h", "i"]);
    expect(most).toBe(4);
  });

  it("hands each tool the rows that are left, the signal and the memo", async () => {
    const seen: ToolContext[] = [];
    const memo = { notes: ["join on id"], plan: [], brainstormed: true };
    const { signal } = new AbortController();
    await roundOf(
      probe(async (name, context) => {
        seen.push(context);
        return { ...none, observation: success(name) };
      }),
      ["a"],
      { memo, signal, rowsReadMax: [77] },
    );
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ memo, rowsReadMax: 77 });
    expect(seen[0]?.signal).toBe(signal);
  });

  it("C11: after the abort nothing is run any more, and every call is still answered", async () => {
    let runs = 0;
    const tool = probe(async (name) => {
      runs += 1;
      return { ...none, observation: success(name) };
    });
    const { outcomes } = await roundOf(tool, ["a", "b"], { signal: AbortSignal.abort() });
    expect(runs).toBe(0);
    expect(outcomes.map(({ summary, isError }) => [summary, isError])).toEqual([
      ["Not run: the time of this step is up.", true],
      ["Not run: the time of this step is up.", true],
    ]);
    // C25: the cause, a next step, and when the run will stop.
    expect(readBack(outcomes[0]?.content ?? "").next_actions).toEqual([
      "Send it again with fewer calls beside it, or answer with what has been found.",
      "This is error 1 of 3 in a row; at 3 the run stops.",
    ]);
  });

  it("A16, L4: a bug in one tool is thrown", async () => {
    const tool = probe((name) =>
      name === "b" ? Promise.reject(new TypeError("a bug")) : Promise.resolve({ ...none, observation: success(name) }),
    );
    await expect(roundOf(tool, ["a", "b", "c"])).rejects.toThrow(new TypeError("a bug"));
  });

  it("says when the database changed under a read", async () => {
    const quiet = probe(async (name) => ({ ...none, observation: success(name) }));
    const loud = probe(async (name) => ({ ...none, observation: failure(name, []), quarantined: name === "b" }));
    expect((await roundOf(quiet, ["a", "b"])).quarantined).toBe(false);
    expect((await roundOf(loud, ["a", "b"])).quarantined).toBe(true);
    expect((await roundOf(loud, ["b"])).quarantined).toBe(true);
    expect((await roundOf(loud, ["a"])).quarantined).toBe(false);
  });

  it("measures each call by the clock it is given, and passes on what it read", async () => {
    const tool = probe(async (name) => ({ ...none, observation: success(name), rowsRead: 42 }));
    const { outcomes } = await roundOf(tool, ["a"]);
    expect(outcomes[0]).toMatchObject({ durationMs: 10, rowsRead: 42 });
  });
});

describe("stored results", () => {
  const keeping = probe(async (name, { results }) => {
    const { stored, seenBefore } = await results.put(rowsOf(name));
    return { ...none, observation: success(`${stored.ref}${seenBefore ? " again" : ""}`) };
  });

  it("B27: are numbered on from those of the run, in the order of the calls; equal rows are kept once", async () => {
    const first: StoredResult = { ...rowsOf("x"), ref: "r1", sha256: sha256Hex('[["n"],[["x"]]]') };
    const { outcomes, newResults } = await roundOf(keeping, ["a", "x", "b", "a"], { stored: [first] });
    expect(outcomes.map(({ summary }) => summary)).toEqual(["r2", "r1 again", "r3", "r2 again"]);
    expect(newResults.map(({ ref, rows }) => [ref, rows])).toEqual([
      ["r2", [["a"]]],
      ["r3", [["b"]]],
    ]);
    expect(newResults[0]?.sha256).toBe(sha256Hex('[["n"],[["a"]]]'));
  });

  it("are looked up by reference; a wrong one is nothing", async () => {
    const first: StoredResult = { ...rowsOf("x"), ref: "r1", sha256: "0" };
    const seen: (string | null)[] = [];
    const tool = probe(async (name, { results }) => {
      seen.push(results.get(name)?.sql ?? null);
      return { ...none, observation: success("Looked up.") };
    });
    await roundOf(tool, ["r1", "r2", ""], { stored: [first] });
    expect(seen).toEqual(["x", null, null]);
  });
});

describe("final_answer in a round", () => {
  const tool = probe(async (name) => ({
    ...none,
    observation: name === "bad" ? failure("No such column.", []) : success(name),
  }));

  it("is judged after its neighbours, wherever it stands", async () => {
    const { outcomes } = await roundOf(tool, ["=347", "a", "b"]);
    expect(outcomes[0]?.final).toMatchObject({ answer: "347" });
    expect(outcomes.map(({ isError }) => isError)).toEqual([false, false, false]);
  });

  it.each([[["=347", "bad"]], [["bad", "=347"]]])("is not accepted beside a call that failed: %j", async (names) => {
    const { outcomes } = await roundOf(tool, names);
    const answered = outcomes.find(({ name }) => name === "final_answer");
    expect(answered).toMatchObject({ final: null, isError: true });
    expect(answered?.summary).toContain("another call of the same reply failed");
  });

  it("says what to do when it is not accepted", async () => {
    const { outcomes } = await roundOf(tool, ["bad", "=347"]);
    expect(readBack(outcomes[1]?.content ?? "").next_actions[0]).toBe(
      "Look at the failed call, mend it, and then answer.",
    );
  });

  it("looks for a figure first in the results that the answer names, and keeps the cell that it cites itself", async () => {
    const stored = ["r1", "r2", "r3"].map((ref) => ({ ...rowsOf("347 of 12"), ref, sha256: ref }));
    const own = { figure: "12", result: "r3", row: 1, column: "n" };
    const citing = defineTool({
      name: "final_answer",
      description: "Ends the run.",
      input: z.strictObject({ answer: z.string() }),
      run: async ({ answer }) => ({
        ...none,
        observation: success("Answer received."),
        final: { answer, results: ["r2"], citations: [own] },
      }),
    });
    const call = { id: "c1", name: "final_answer", input: { answer: "347 of 12." } };
    const calls = [prepareCall(call, new Map([["final_answer", citing]]), ["final_answer"], "")];
    const { outcomes } = await roundOf(tool, [], { calls, stored });
    expect(outcomes[0]?.final?.evidence.citations).toEqual([own, { figure: "347", result: "r2", row: 1, column: "n" }]);
  });

  it("carries the evidence: its figures against every result, a figure of the question aside", async () => {
    const keeping = probe(async (_name, { results }) => {
      await results.put(rowsOf("347"));
      return { ...none, observation: success("kept") };
    });
    const { outcomes } = await roundOf(keeping, ["a", "=There are 347, or 12, or 99."], { question: "More than 12?" });
    expect(outcomes[1]?.final?.evidence).toEqual({
      citations: [{ figure: "347", result: "r1", row: 1, column: "n" }],
      unsupported: ["99"],
    });
  });
});

describe("what the model reads", () => {
  const failing = probe(async (name) => ({
    ...none,
    observation: name === "ok" ? success(name) : failure("No such column.", ["Mend it."]),
  }));

  it("C25: every error says how many in a row there may be, counted on from the rounds before", async () => {
    const { outcomes } = await roundOf(failing, ["x", "y", "ok", "z"], { consecutiveErrors: 1 });
    const last = outcomes.map(({ content }) => readBack(content).next_actions.at(-1) ?? null);
    expect(last).toEqual([
      "This is error 2 of 3 in a row; at 3 the run stops.",
      "This is error 3 of 3 in a row; at 3 the run stops.",
      null,
      "This is error 1 of 3 in a row; at 3 the run stops.",
    ]);
  });

  it("the count never passes the limit, and a call beyond the hops is no error of anybody", async () => {
    const { outcomes } = await roundOf(failing, ["x", "late"], { consecutiveErrors: 3 }, ["late"]);
    expect(readBack(outcomes[0]?.content ?? "").next_actions.at(-1)).toContain("error 3 of 3");
    expect(outcomes[1]).toMatchObject({ isError: true, refusedBy: "hops", recent: null });
    expect(outcomes[1]?.content).not.toContain("in a row");
    const between = await roundOf(failing, ["x", "late", "y"], {}, ["late"]);
    expect(between.outcomes[2]?.content).toContain("error 2 of 3");
  });

  it("C22: 3 MB of tool output does not reach the model: the data is left out, and said to be", async () => {
    const huge = probe(async () => ({
      ...none,
      observation: warning("Many rows.", ["Aggregate."], { rows: ["x".repeat(3_000_000)] }, [
        { kind: "result", ref: "r1", rows: 9 },
      ]),
    }));
    const { outcomes } = await roundOf(huge, ["a"]);
    const content = outcomes[0]?.content ?? "";
    expect(byteLength(content)).toBeLessThanOrEqual(OBSERVATION_BYTES_MAX);
    expect(readBack(content)).toEqual({
      status: "warning",
      summary: "Many rows. (The data is too large to show here.)",
      data: {},
      next_actions: ["Aggregate."],
      artifacts: [{ kind: "result", ref: "r1", rows: 9 }],
    });
  });

  it("C22: of too many actions and references the last four and the first eight are kept", async () => {
    const many = warning(
      "Much.",
      Array.from({ length: 60 }, (_, index) => `${index}: ${"\u0001".repeat(400)}`),
      {},
      Array.from({ length: 500 }, (_, index) => ({ kind: "result" as const, ref: `r${index}`, rows: 1 })),
    );
    const { outcomes } = await roundOf(
      probe(async () => ({ ...none, observation: many })),
      ["a"],
    );
    const shown = readBack(outcomes[0]?.content ?? "");
    expect(byteLength(outcomes[0]?.content ?? "")).toBeLessThanOrEqual(OBSERVATION_BYTES_MAX);
    expect(shown.next_actions.map((action) => action.slice(0, 2))).toEqual(["56", "57", "58", "59"]);
    expect(shown.artifacts.map(({ ref }) => ref)).toEqual(["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"]);
  });

  it("C22: data up to the bound is shown whole", async () => {
    const size = OBSERVATION_BYTES_MAX - byteLength(JSON.stringify(success("Fits.", { text: "" })));
    const sized = (length: number) =>
      roundOf(
        probe(async () => ({ ...none, observation: success("Fits.", { text: "x".repeat(length) }) })),
        ["a"],
      );
    expect((await sized(size)).outcomes[0]?.content).toHaveLength(OBSERVATION_BYTES_MAX);
    expect(readBack((await sized(size + 1)).outcomes[0]?.content ?? "").data).toEqual({});
  });

  it("C21, C22: whatever a tool writes, the observation fits its schema and its bound", async () => {
    const long = fc.oneof(
      fc.string({ unit: "binary", maxLength: 30 }),
      fc
        .tuple(fc.constantFrom("x", '"', "\u0001", "語", "😀"), fc.nat(20_000))
        .map(([unit, count]) => unit.repeat(count)),
    );
    const output = fc.record({
      status: fc.constantFrom("success" as const, "warning" as const, "error" as const),
      summary: long.map((text) => `${text}.`),
      data: fc.dictionary(fc.string({ maxLength: 5 }), long, { maxKeys: 2 }),
      next_actions: fc.array(long, { maxLength: 7 }),
      artifacts: fc.array(fc.record({ kind: fc.constant("result" as const), ref: fc.constant("r1"), rows: fc.nat() }), {
        maxLength: 12,
      }),
    });
    await fc.assert(
      fc.asyncProperty(output, async (observation) => {
        const { outcomes } = await roundOf(
          probe(async () => ({ ...none, observation })),
          ["a"],
        );
        const content = outcomes[0]?.content ?? "";
        expect(byteLength(content)).toBeLessThanOrEqual(OBSERVATION_BYTES_MAX);
        expect(readBack(content).status).toBe(observation.status);
        if (observation.status === "error") expect(content).toContain("the run stops");
      }),
      { numRuns: 200 },
    );
  });

  it("a tool whose output is no envelope is a bug, and thrown", async () => {
    const broken = probe(async () => ({ ...none, observation: { ...success("x"), summary: "" } }));
    await expect(roundOf(broken, ["a"])).rejects.toThrow();
  });
});

describe("what the cycle detector keeps", () => {
  const same = (name: string) => probe(async () => ({ ...none, observation: success(name, { n: 1 }) }));
  const recent = async (tool: Tool, as: string) => (await roundOf(tool, [as])).outcomes[0]?.recent;

  it("B18: signature, result, tool, step; a success counts by its data, not by its words", async () => {
    const one = await recent(same("1 row."), "a");
    expect(one).toMatchObject({ tool: "probe", step: 4, isError: false, ref: null });
    expect(one?.signature).toMatch(/^[0-9a-f]{64}$/);
    expect(await recent(same("1 row, which you have seen."), "a")).toEqual(one);
    expect((await recent(same("1 row."), "b"))?.signature).not.toBe(one?.signature);
  });

  it("B18: an error counts by its words too", async () => {
    const bad = (words: string) => probe(async () => ({ ...none, observation: failure(words, []) }));
    expect((await recent(bad("No column x."), "a"))?.result).not.toBe((await recent(bad("No column y."), "a"))?.result);
  });

  it("B18: goes by the canonical form of the arguments, and by the name of the tool that ran", async () => {
    const folding = defineTool({
      name: "probe",
      description: "For tests.",
      input: z.strictObject({ as: z.string() }),
      canonical: ({ as }) => ({ as: as.toLowerCase() }),
      run: async () => ({ ...none, observation: success("1 row.") }),
    });
    const calls = ["A", "a"].map((as) =>
      prepareCall({ id: as, name: "probeprobe", input: { as } }, new Map([["probe", folding]]), ["probe"], ""),
    );
    const { outcomes } = await roundOf(folding, [], { calls });
    expect(outcomes[0]?.recent?.tool).toBe("probe");
    expect(outcomes[0]?.recent).toEqual(outcomes[1]?.recent);
  });

  it("keeps no more of an invented name than it needs", async () => {
    const calls = [prepareCall({ id: "c1", name: "x".repeat(500), input: {} }, new Map(), [], "")];
    const { outcomes } = await roundOf(same("x"), [], { calls });
    expect(outcomes[0]?.recent?.tool).toHaveLength(64);
  });

  it("keeps malformed calls as well, by what the model wrote", async () => {
    const malformed = prepareCall(
      { id: "c1", name: "probe", input: { wrong: 1 } },
      new Map([["probe", same("x")]]),
      ["probe"],
      "",
    );
    const { outcomes } = await roundOf(same("x"), [], { calls: [malformed] });
    expect(outcomes[0]?.recent).toMatchObject({ tool: "probe", isError: true });
  });
});
