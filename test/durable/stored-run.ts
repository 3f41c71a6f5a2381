/** A run on a memory storage, for unit tests of durable/: begun as the run object begins one, stepped by the real driver. */
import type { Model } from "../../src/agent/model.ts";
import type { Tool } from "../../src/agent/tool.ts";
import type { StartRun } from "../../src/durable/contract.ts";
import { createStepDriver } from "../../src/durable/driver.ts";
import { createRun, openJournal, type RunJournal } from "../../src/durable/journal.ts";
import { openRun } from "../../src/durable/opening.ts";
import { ok } from "../../src/lib/result.ts";
import { LIMITS } from "../agent/states.ts";
import { functionModel, replied } from "../fakes/function-model.ts";
import { finalAnswerTool, queryTool } from "../fakes/memory-run.ts";
import { createMemoryStorage, type MemoryStorage } from "../fakes/memory-storage.ts";

export const STARTED_AT = 1_700_000_000_000;

export interface StoredRun {
  readonly storage: MemoryStorage;
  readonly journal: RunJournal;
  /** Runs one step of the run that the storage holds. */
  step(): Promise<string>;
  /** The journal as a fresh object would read it. */
  reopen(): RunJournal;
}

export function startInput(parts: Partial<StartRun> = {}): StartRun {
  return {
    id: "run_1",
    question: "How many?",
    caller: "anna",
    mode: "auto",
    grounding: "report",
    model: "test-model",
    tools: ["execute_read_only_sql", "final_answer"],
    limits: LIMITS,
    scopes: {},
    callbackUrl: null,
    ...parts,
  };
}

/** Two queries with different rows, then the answer. */
export function twoQueries(): Model {
  return functionModel(({ messages }) => {
    const asked = messages.filter((message) => message.role === "assistant").length;
    const call = (name: string, input: unknown) => replied({ calls: [{ id: `c${asked}`, name, input }] });
    if (asked < 2) return call("execute_read_only_sql", { sql: `SELECT ${asked}` });
    return call("final_answer", { answer: "Both.", results: ["r1", "r2"] });
  });
}

export function storedRun(
  parts: Partial<StartRun> = {},
  model: Model = twoQueries(),
  tools: readonly Tool[] = [queryTool((sql) => ({ columns: ["sql"], rows: [[sql]] })), finalAnswerTool],
): StoredRun {
  const storage = createMemoryStorage();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const now = Date.now();
  const schema = ok("table T (1 rows)\n  n INTEGER");
  createRun(storage, openRun(startInput(parts), { model: ok(model), tools: byName }, schema, now), now);
  const reopen = (): RunJournal => {
    const opened = openJournal(storage, "run_1", Date.now(), () => undefined);
    if (opened === null) throw new Error("the run is there");
    return opened;
  };
  let journal = reopen();
  const driver = createStepDriver();
  return {
    storage,
    get journal() {
      return journal;
    },
    step: async () => (await driver.drive(journal, { model: ok(model), tools: byName })).kind,
    reopen: () => {
      journal = reopen();
      return journal;
    },
  };
}
