import { describe, expect, it } from "vitest";
import { createAskUserTool } from "../../src/tools/ask-user.ts";
import { contextWith } from "./world.ts";

const INPUT = { question: "Which do you mean?", options: ["Revenue", "Number of orders"] };

async function run(reply: string | null) {
  const checked = createAskUserTool().check(INPUT);
  if (!checked.ok) throw new Error(checked.error.join());
  return checked.value.run(contextWith({ reply }));
}

describe("ask_user", () => {
  it("gives the person's words as data, and reads nothing", async () => {
    expect(await run("By revenue, please.")).toEqual({
      observation: expect.objectContaining({ status: "success", data: { reply: "By revenue, please." } }),
      rowsRead: 0,
      query: null,
    });
  });

  it("says of a second question of a round that it was not asked", async () => {
    expect((await run(null)).observation).toMatchObject({ status: "error", data: {} });
  });

  it.each([
    [{ question: "" }],
    [{ question: "x".repeat(501) }],
    [{ options: ["one"] }],
    [{ options: ["1", "2", "3", "4", "5", "6"] }],
    [{ options: ["a", "x".repeat(71)] }],
    [{ options: ["a", " "] }],
  ])("A15: %j is refused", (parts) => {
    expect(createAskUserTool().check({ ...INPUT, ...parts }).ok).toBe(false);
  });
});
