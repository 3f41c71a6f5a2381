/** What a run offers for being asked again, between real run objects, and the death of one in the middle of its plan. */
import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { defineTool, type Tool } from "../../src/agent/tool.ts";
import type { PlanReply, StartRun } from "../../src/durable/contract.ts";
import { createNoModel } from "../../src/models/no-model.ts";
import { calling, functionModel } from "../fakes/function-model.ts";
import { finalAnswerTool, queryTool } from "../fakes/memory-run.ts";
import { answer, inObject, installWorld, newRun, query, stubOf, untilFinished, type World } from "./world.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const rows = queryTool((sql) => ({ columns: ["sql"], rows: [[sql]] }));

/** One query, then two at once, then the answer. */
function world(tool: Tool = rows): World {
  const two = () => calling(["execute_read_only_sql", { sql: "b" }], ["execute_read_only_sql", { sql: "c" }]);
  const replies = [() => query("a"), two, () => answer("It is a.")];
  return {
    model: functionModel(({ messages }) => {
      const said = messages.filter((message) => message.role === "assistant").length;
      return (replies[said] ?? (() => answer()))();
    }),
    tools: [tool, finalAnswerTool],
  };
}

async function answeredRun(): Promise<string> {
  const made = world();
  installWorld(made);
  const { input, stub } = newRun(made);
  await stub.start(input);
  await untilFinished(input.id);
  return input.id;
}

type Offer = Extract<PlanReply, { kind: "plan" }>;

async function offerOf(id: string): Promise<Offer> {
  const offer = await stubOf(id).offerPlan();
  if (offer.kind !== "plan") throw new Error(`${id} offers no plan`);
  return offer;
}

function inputOf(offer: Offer, parts: Partial<StartRun> = {}): StartRun {
  const made = { ...world(), model: createNoModel() };
  return { ...newRun(made).input, tools: offer.tools, plan: offer.plan, ...parts };
}

describe("the offer of a run", () => {
  it("is its plan, with its tools, twice the same; a repetition offers the plan that it followed", async () => {
    const id = await answeredRun();
    const offer = await offerOf(id);
    expect(offer).toMatchObject({ tools: ["execute_read_only_sql", "final_answer"], run: { id } });
    expect(offer.plan).toMatchObject({ runId: id, answer: "It is a.", results: ["r1"] });
    expect(offer.plan.steps.map(({ args }) => args)).toEqual([{ sql: "a" }, { sql: "b" }, { sql: "c" }]);
    expect((await offerOf(id)).plan).toEqual(offer.plan);
    const input = inputOf(offer);
    await stubOf(input.id).start(input);
    expect(await untilFinished(input.id)).toMatchObject({ outcome: "answered", again: { unchanged: true } });
    expect((await offerOf(input.id)).plan).toEqual(offer.plan);
  });

  it("is refused while the run goes on, and without a query; of nobody there is none", async () => {
    expect(await stubOf("run_of_nobody").offerPlan()).toEqual({ kind: "not_found" });
    const made = world();
    made.model = functionModel(() => answer("Hello."));
    installWorld(made);
    const { input, stub } = newRun(made, { mode: "manual" });
    await stub.start(input);
    expect(await stub.offerPlan()).toMatchObject({ kind: "refused", reason: "not_finished" });
    await stub.step();
    expect(await stub.offerPlan()).toMatchObject({ kind: "refused", reason: "not_repeatable" });
  });

  it("started twice with one id is one run, also at once", async () => {
    const input = inputOf(await offerOf(await answeredRun()), { mode: "manual" });
    const started = await Promise.all([1, 2, 3].map(() => stubOf(input.id).start(input)));
    expect(new Set(started.map((run) => run.created_at)).size).toBe(1);
    expect(await stubOf(input.id).step()).toMatchObject({ run: { usage: { steps: 1 } } });
    expect((await stubOf(input.id).start(input)).usage.steps).toBe(1);
  });

  it("a plan that cannot be read any more ends the run as broken, and no model is asked instead", async () => {
    const input = inputOf(await offerOf(await answeredRun()), { mode: "manual" });
    await stubOf(input.id).start(input);
    await inObject(stubOf(input.id), (_object, { storage }) => {
      const pinned = JSON.stringify({ system: "", tools: [], plan: { steps: [] } });
      storage.sql.exec("UPDATE facts SET value = ? WHERE name = 'pinned'", pinned);
    });
    await abortAllDurableObjects();
    const run = await stubOf(input.id).view();
    expect(run).toMatchObject({ outcome: "failed", stop_reason: "error", answer: null, usage: { model_calls: 0 } });
  });
});

describe("killed in the middle of its plan", () => {
  it("C19: a query whose rows were seen does not run again, the one that was cut off does", async () => {
    const offer = await offerOf(await answeredRun());
    let isHeld = true;
    const ran: string[] = [];
    const slow = defineTool({
      name: "execute_read_only_sql",
      description: "Slow at the last.",
      input: z.strictObject({ sql: z.string() }),
      run: async ({ sql }, context) => {
        ran.push(sql);
        while (isHeld && sql === "c") await new Promise((resolve) => setTimeout(resolve, 1));
        const checked = rows.check({ sql });
        if (!checked.ok) throw new Error("unreachable");
        return checked.value.run(context);
      },
    });
    const called = vi.fn();
    installWorld({ model: functionModel(() => called()), tools: [slow, finalAnswerTool] });
    const input = inputOf(offer, { mode: "manual" });
    await stubOf(input.id).start(input);
    expect(await stubOf(input.id).step()).toMatchObject({ run: { usage: { steps: 1, hops: 1 } } });
    const step = stubOf(input.id)
      .step()
      .catch(() => "died");
    await vi.waitFor(() => expect(ran).toContain("c"));
    await abortAllDurableObjects();
    await step;
    isHeld = false;
    const { run } = (await stubOf(input.id).step()) as { run: object };
    expect(run).toMatchObject({
      outcome: "answered",
      again: { unchanged: true },
      n_queries: 3,
      usage: { steps: 2, hops: 3, model_calls: 0 },
    });
    expect(ran).toEqual(["a", "b", "c", "b", "c"]);
    expect(called).not.toHaveBeenCalled();
  });
});
