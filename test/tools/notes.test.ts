import { describe, expect, it } from "vitest";
import type { Memo } from "../../src/agent/tool.ts";
import { createNotesTool } from "../../src/tools/notes.ts";
import { contextWith, runTool } from "./world.ts";

const EMPTY: Memo = { notes: [], plan: ["count"], brainstormed: false };
const brainstorm = { difficulty: "Two joins.", approaches: ["join", "subquery"], pitfalls: "NULLs." };
const note = (input: object, memo = EMPTY) => runTool(createNotesTool(), input, contextWith({ memo }));

describe("notes", () => {
  it("keeps a note beside what is there", async () => {
    const { memo, observation } = await note({ note: " Join on id. " }, { ...EMPTY, notes: ["First."] });
    expect(memo).toEqual({ notes: ["First.", "Join on id."], plan: ["count"], brainstormed: false });
    expect(observation).toMatchObject({ status: "success", summary: "Noted. 2 notes are kept." });
  });

  it("B43: a brainstorm is a note of its three parts, and opens the way to a plan", async () => {
    const { memo } = await note({ brainstorm, note: "Then count." });
    expect(memo?.brainstormed).toBe(true);
    expect(memo?.notes).toEqual(["Difficulty: Two joins. Ways: join / subquery Pitfalls: NULLs.", "Then count."]);
  });

  it("a later note does not close the way to a plan", async () => {
    expect((await note({ note: "x" }, { ...EMPTY, brainstormed: true })).memo?.brainstormed).toBe(true);
  });

  it("keeps the twenty newest", async () => {
    const notes = Array.from({ length: 20 }, (_, index) => `n${index}`);
    const { memo } = await note({ note: "new" }, { ...EMPTY, notes });
    expect(memo?.notes).toHaveLength(20);
    expect(memo?.notes[0]).toBe("n1");
    expect(memo?.notes.at(-1)).toBe("new");
  });

  it("nothing to note is an error, and changes nothing", async () => {
    const { memo, observation } = await note({});
    expect(observation).toMatchObject({ status: "error", next_actions: ["Give note, brainstorm, or both."] });
    expect(memo).toBeUndefined();
  });

  it.each([
    [{ note: "" }],
    [{ note: " " }],
    [{ note: "x".repeat(601) }],
    [{ brainstorm: { ...brainstorm, approaches: ["only one"] } }],
    [{ brainstorm: { difficulty: "x", approaches: ["a", "b"] } }],
    [{ text: "x" }],
  ])("A15, B43: %j is refused", (input) => {
    expect(createNotesTool().check(input).ok).toBe(false);
  });
});
