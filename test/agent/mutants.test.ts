/**
 * A18: every comparison of every ceiling and budget is mutated (`>=` to `>`, `<=` to `<`, and the other way round), one at
 * a time, and the table of states at the limit and beside it must tell each mutant from the original. This runs with every
 * test run; `npm run test:mutation` mutates all of the core.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import * as original from "../../src/agent/budget.ts";
import type { AgentState } from "../../src/agent/state.ts";
import { modelAttempt, START, type StateParts, stateWith } from "./states.ts";

type Budget = typeof original;

/** States at each limit, one below and one above. */
function states(): AgentState[] {
  const beside = (make: (offset: number) => StateParts): AgentState[] =>
    [-1, 0, 1].map((offset) => stateWith(make(offset)));
  return [
    ...beside((offset) => ({ usage: { steps: 12 + offset } })),
    ...beside((offset) => ({ usage: { steps: 12 + offset }, failedTries: 1 })),
    ...beside((offset) => ({ usage: { hops: 8 + offset } })),
    ...beside((offset) => ({ usage: { errors: 4 + offset } })),
    ...beside((offset) => ({ usage: { modelCalls: 19 + offset } })),
    ...beside((offset) => ({ usage: { modelCalls: 20 + offset } })),
    ...beside((offset) => ({ consecutiveErrors: 3 + offset })),
    ...beside((offset) => ({ usage: { costNanoUsd: 500_000_000 + offset } })),
    ...beside((offset) => ({ usage: { costNanoUsd: 400_000_000 + offset }, attempt: modelAttempt() })),
    ...beside((offset) => ({ usage: { rowsRead: 5_000_000 + offset } })),
    ...beside((offset) => ({ rung: 3 + offset, critic: "used" as const })),
    // The step's share of the clock ends 30 s before the deadline at 300 s.
    ...beside((offset) => ({ usage: { activeMs: 270_000 + offset } })),
    stateWith({ usage: { hops: -1 } }),
    stateWith({ usage: { hops: 0 } }),
  ];
}

/** Everything the module says about every state. */
function tell(budget: Budget): string[] {
  return states().map((state) => {
    let within = "within";
    try {
      budget.assertWithinLimits(state);
    } catch {
      within = "over";
    }
    return JSON.stringify([budget.ceilingReached(state, START), within, budget.hasExtraCall(state)]);
  });
}

const SOURCE = readFileSync("src/agent/budget.ts", "utf8");
const SWAPS: Readonly<Record<string, string>> = { ">=": ">", "<=": "<", ">": ">=", "<": "<=" };

/** Every comparison in the code, comments and arrows aside. */
const COMPARISONS = [...SOURCE.matchAll(/ (>=|<=|>|<) /g)].filter(({ index }) => {
  const line = SOURCE.slice(SOURCE.lastIndexOf("\n", index) + 1, SOURCE.indexOf("\n", index));
  return !/^\s*(\/\/|\/?\*)/.test(line);
});

const folder = mkdtempSync(join(tmpdir(), "querent-mutants-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("mutants of the ceilings", () => {
  it("there are at least twelve of them", () => {
    expect(COMPARISONS.length).toBeGreaterThanOrEqual(12);
  });

  it.each(COMPARISONS.map((match, number) => [number, match] as const))(
    "A18: mutant %i is killed",
    async (number, match) => {
      const [text, operator = ""] = match;
      const mutated = `${SOURCE.slice(0, match.index)} ${SWAPS[operator]} ${SOURCE.slice(match.index + text.length)}`;
      const path = join(folder, `mutant-${number}.ts`);
      // Its neighbours are the real ones.
      const absolute = mutated.replace(/from "(\.[^"]+)"/g, (_whole, name: string) => {
        return `from ${JSON.stringify(pathToFileURL(resolve("src/agent", name)).href)}`;
      });
      writeFileSync(path, absolute);
      const mutant = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Budget;
      const line = SOURCE.slice(SOURCE.lastIndexOf("\n", match.index) + 1, SOURCE.indexOf("\n", match.index)).trim();
      expect(tell(mutant), `${line}: ${operator} as ${SWAPS[operator]}`).not.toEqual(tell(original));
    },
  );
});
