import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { functionModel, replied } from "../fakes/function-model.ts";
import { finalAnswerTool, queryTool } from "../fakes/memory-run.ts";
import { installWorld, newRun, type World } from "./world.ts";

describe("run object", () => {
  it("answers by alarm alone", async () => {
    const world: World = {
      model: functionModel((_request, call) =>
        call < 1
          ? replied({ calls: [{ id: `c${call}`, name: "execute_read_only_sql", input: { sql: "SELECT 1" } }] })
          : replied({ calls: [{ id: `c${call}`, name: "final_answer", input: { answer: "One.", results: ["r1"] } }] }),
      ),
      tools: [queryTool(() => ({ columns: ["n"], rows: [[1]] })), finalAnswerTool],
    };
    installWorld(world);
    const { input, stub } = newRun(world);
    const started = await stub.start(input);
    expect(started.status).toBe("running");
    let seq = 0;
    for (;;) {
      const page = await stub.eventsAfter(seq, 1_000);
      if (page === null) throw new Error("gone");
      seq = page.last;
      if (page.finished) break;
    }
    const run = await stub.view();
    expect(run?.answer).toBe("One.");
    console.log(JSON.stringify(run));
    await runInDurableObject(stub, async (_o, state) => {
      console.log(
        await state.storage.getAlarm(),
        state.storage.sql.exec("select step, length(state) l from checkpoints").toArray(),
      );
    });
  });
});
