import { describe, expect, it } from "vitest";
import { createPlanTool } from "../../src/tools/plan.ts";
import { contextWith, runTool } from "./world.ts";

const plan = (items: string[], brainstormed: boolean) =>
  runTool(createPlanTool(), { items }, contextWith({ memo: { notes: ["n"], plan: ["old"], brainstormed } }));

describe("plan", () => {
  it("B42: is refused before a brainstorm, with what to do", async () => {
    const { observation, memo } = await plan(["count"], false);
    expect(observation.status).toBe("error");
    expect(observation.next_actions[0]).toContain("Call notes with brainstorm");
    expect(memo).toBeUndefined();
  });

  it("B44: is taken after it, in place of the old one; notes stay", async () => {
    const { observation, memo } = await plan(["count", " answer "], true);
    expect(observation).toMatchObject({ status: "success", summary: "The plan has 2 items." });
    expect(memo).toEqual({ notes: ["n"], plan: ["count", "answer"], brainstormed: true });
  });

  it.each([[{ items: [] }], [{ items: Array(13).fill("x") }], [{ items: [""] }], [{ items: ["x".repeat(301)] }], [{}]])(
    "A15: %j is refused",
    (input) => {
      expect(createPlanTool().check(input).ok).toBe(false);
    },
  );
});
