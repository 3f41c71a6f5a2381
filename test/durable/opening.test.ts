import { describe, expect, it } from "vitest";
import { openRun } from "../../src/durable/opening.ts";
import { decodeSettings, encodeSettings } from "../../src/durable/settings.ts";
import { err, ok } from "../../src/lib/result.ts";
import { PLAN } from "../fakes/fake-run-object.ts";
import { functionModel, PRICED, replied } from "../fakes/function-model.ts";
import { finalAnswerTool, queryTool } from "../fakes/memory-run.ts";
import { STARTED_AT, startInput } from "./stored-run.ts";

const tools = new Map([queryTool(() => ({ columns: [], rows: [] })), finalAnswerTool].map((tool) => [tool.name, tool]));
const wiring = { model: ok(functionModel(() => replied({}))), tools };

describe("the first checkpoint", () => {
  it("pins the system text with the schema and the tools of the run, in their order", () => {
    const input = startInput({ tools: ["final_answer", "execute_read_only_sql", "gone"] });
    const { pinned, settings } = openRun(input, wiring, ok("table Album (347 rows)"), STARTED_AT);
    expect(pinned.system).toContain("table Album (347 rows)");
    expect(pinned.tools.map((tool) => tool.name)).toEqual(["final_answer", "execute_read_only_sql"]);
    expect(pinned.tools[1]?.inputSchema).toMatchObject({ type: "object", required: ["sql"] });
    expect(settings).toMatchObject({ ...input, inheritedNanoUsd: 0 });
  });

  it("holds the question as its opening message, and the start as its first event", () => {
    const { advance } = openRun(startInput(), wiring, ok(""), STARTED_AT);
    expect(advance.messages).toMatchObject([{ role: "user", text: expect.stringContaining("How many?") }]);
    expect(advance.events).toMatchObject([{ type: "run_started", at: STARTED_AT, step: 0 }]);
    expect(advance.state).toMatchObject({ messages: 1, events: 1, ending: null, maxTokensMax: PRICED.maxOutputTokens });
  });

  it("C18: of a run that follows a plan pins that in the place of schema and tools, and its tables count as shown", () => {
    const sql = 'SELECT * FROM Album JOIN "Order Details" USING (id)';
    const plan = { ...PLAN, steps: PLAN.steps.map((step) => ({ ...step, args: { sql } })) };
    const { pinned, settings, advance } = openRun(startInput({ plan }), wiring, ok(""), STARTED_AT);
    expect(pinned).toEqual({ system: "", tools: [], plan });
    expect(settings).not.toHaveProperty("plan");
    expect(decodeSettings(encodeSettings(settings)).ok).toBe(true);
    expect(advance.state).toMatchObject({
      again: { runId: PLAN.runId, answeredAt: PLAN.answeredAt, changed: null },
      described: ["Album", "Order Details"],
    });
  });

  it("with a schema that cannot be read is an ending that says so", () => {
    const { advance } = openRun(startInput(), wiring, err("The database is busy. Ask again later."), STARTED_AT);
    expect(advance.state.ending).toMatchObject({
      outcome: "failed",
      message: "The database is busy. Ask again later.",
    });
    expect(advance.events.map((event) => event.type)).toEqual(["run_started", "run_finished"]);
    expect(advance.state.events).toBe(2);
  });
});
