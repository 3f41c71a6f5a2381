import { describe, expect, it } from "vitest";
import { z } from "zod";
import { success } from "../../src/agent/observation.ts";
import { defineTool } from "../../src/agent/tool.ts";
import { answering, calling, functionModel } from "../fakes/function-model.ts";
import { Crash, createMemoryRun, finalAnswerTool } from "../fakes/memory-run.ts";

describe("what tools hand on to the next call", () => {
  it("a query starts from the bookmark of the one before it, also after a crash; described tables are remembered", async () => {
    const seen: (readonly [string | null, readonly string[]])[] = [];
    const probe = defineTool({
      name: "probe",
      description: "For tests.",
      input: z.strictObject({ mark: z.string() }),
      run: async ({ mark }, { bookmark, described }) => {
        seen.push([bookmark, described]);
        return { observation: success(mark), rowsRead: 0, query: null, bookmark: mark, described: [`table_${mark}`] };
      },
    });
    const replies = [calling(["probe", { mark: "a" }]), calling(["probe", { mark: "b" }]), answering("Done.")];
    let crashes = 0;
    const run = createMemoryRun(
      functionModel((request) => {
        const said = request.messages.filter((message) => message.role === "assistant").length;
        return replies[said] ?? answering("x");
      }),
      {
        tools: [probe, finalAnswerTool],
        atPoint: (_point, name) => {
          if (name === "after probe" && seen.length === 2 && crashes++ === 0) throw new Crash("after the second query");
        },
      },
    );
    await run.finish();
    expect(seen).toEqual([
      [null, []],
      ["a", ["table_a"]],
      ["a", ["table_a"]],
    ]);
    expect(run.state()).toMatchObject({ bookmark: "b", described: ["table_a", "table_b"] });
  });
});
