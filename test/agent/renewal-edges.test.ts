/** What a request holds of the history, and when it is changed, at the edges (B58–B62). */
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/agent/model.ts";
import type { StepPorts } from "../../src/agent/ports.ts";
import { planRenewal, planRepair, REPAIR_TIERS_MAX, sentMessages } from "../../src/agent/renewal.ts";
import { byteLength } from "../../src/lib/bytes.ts";
import { functionModel, PRICED, saying } from "../fakes/function-model.ts";
import { callOf, failureWith, type StateParts, stateWith } from "./states.ts";

const user = (text: string): Message => ({ role: "user", text });
const called: Message = { role: "assistant", content: [], text: "", calls: [callOf("c1", "SELECT x")] };
const observed = (isError: boolean): Message => ({
  role: "tool",
  results: [{ callId: "c1", content: `{"summary":"${isError ? "No column x." : "1 row."}"}`, isError }],
});
const HISTORY = [user("q"), called, observed(true), { ...called }, observed(false), user("nudge")];

const textsOf = (messages: readonly Message[]) => messages.map((message) => HISTORY.indexOf(message));

function renewalOf(parts: StateParts, messages: readonly Message[] = HISTORY, contextWindow = 1_000) {
  const journal = { messages: () => messages, results: () => [] };
  const model = functionModel(() => saying(""), { ...PRICED, contextWindow });
  // Only these two ports are looked at.
  return planRenewal({ journal, model } as unknown as StepPorts, stateWith(parts));
}

describe("sentMessages", () => {
  it.each([
    ["all", {}, [0, 1, 2, 3, 4, 5]],
    ["from the start of the present transcript", { transcriptStart: 3 }, [3, 4, 5]],
    ["without what repair left out, its end not included", { omitted: [{ from: 1, to: 3 }] }, [0, 3, 4, 5]],
    [
      "without several ranges",
      {
        omitted: [
          { from: 1, to: 2 },
          { from: 4, to: 5 },
        ],
      },
      [0, 2, 3, 5],
    ],
    ["both", { transcriptStart: 3, omitted: [{ from: 3, to: 5 }] }, [5]],
  ])("sends %s", (_what, parts, expected) => {
    expect(textsOf(sentMessages(stateWith(parts), HISTORY))).toEqual(expected);
  });
});

describe("planRenewal", () => {
  const loop = { ...stateWith().loop, contextShare: 0.5 };
  const last = Math.ceil(byteLength(JSON.stringify(HISTORY.at(-1))) / 3);

  it.each([
    ["below the share", 500 - last - 1, false],
    ["at the share", 500 - last, false],
    ["above it", 500 - last + 1, true],
    ["with nothing counted yet", 0, false],
  ])("%s of the window, what came after the last count included: %s tokens, %s", (_what, windowTokens, isDue) => {
    expect(renewalOf({ loop, windowTokens }) !== null).toBe(isDue);
  });

  it("a transcript that has just been opened is not opened again, however small the window", () => {
    expect(renewalOf({ loop, windowTokens: 0 }, HISTORY, 10)).toBeNull();
    expect(renewalOf({ loop, windowTokens: 5_000 }, [])).toBeNull();
  });

  it("tells what failed, and not what did not", () => {
    const text = renewalOf({ renewalDue: "window" })?.text ?? "";
    expect(text).toContain("No column x.");
    expect(text).not.toContain("1 row.");
  });

  const memo = { notes: ["Sketch:\n```sql\nSELECT 1\n```", "Plain."], plan: ["count"], brainstormed: true };
  const whole = "- Sketch:\n```sql\nSELECT 1\n```\n- Plain.\nPlan 1. count";
  it.each([
    ["window", 0, whole],
    ["window", REPAIR_TIERS_MAX, whole],
    ["repair", REPAIR_TIERS_MAX - 1, "- Sketch:\nSELECT 1\n- Plain.\nPlan 1. count"],
  ] as const)("B58, B61: for the %s at tier %s the notes read %j", (renewalDue, repairTier, notes) => {
    expect(renewalOf({ renewalDue, repairTier, memo })?.text).toContain(`<notes>\n${notes}\n</notes>`);
  });

  it("B61: a fence that closes the last note is taken out like the others", () => {
    const fenced = { notes: ["```\nSELECT 1\n```"], plan: [], brainstormed: false };
    expect(renewalOf({ renewalDue: "repair", memo: fenced })?.text).toContain("<notes>\n- SELECT 1\n\n</notes>");
  });

  it("B62: at the last tier of repair the notes are not sent", () => {
    expect(renewalOf({ renewalDue: "repair", repairTier: REPAIR_TIERS_MAX, memo })?.text).not.toContain("<notes>");
  });

  it("without notes there are none to tell; a plan alone is told", () => {
    expect(renewalOf({ renewalDue: "window" })?.text).not.toContain("<notes>");
    const planned = { notes: [], plan: ["count"], brainstormed: true };
    expect(renewalOf({ renewalDue: "window", memo: planned })?.text).toContain("<notes>\nPlan 1. count\n</notes>");
    const both = { notes: ["n"], plan: ["p"], brainstormed: true };
    expect(renewalOf({ renewalDue: "window", memo: both })?.text).toContain("<notes>\n- n\nPlan 1. p\n</notes>");
  });
});

describe("planRepair", () => {
  const repair = (status: number | null, parts: StateParts = {}, messages: readonly Message[] = HISTORY) =>
    planRepair(failureWith({ status }), stateWith(parts), messages);

  it.each([
    [400, true],
    [500, true],
    [401, false],
    [429, false],
    [529, false],
    [null, false],
  ])("B60: a persistent %s is repaired: %s", (status, isRepaired) => {
    expect(repair(status) !== null).toBe(isRepaired);
  });

  it("B60: first the last reply and all after it are left out", () => {
    expect(repair(400)).toEqual({ kind: "omit", from: 3, to: 6 });
    expect(repair(400, { omitted: [{ from: 3, to: 6 }] })).toEqual({ kind: "omit", from: 1, to: 6 });
    expect(repair(400, { transcriptStart: 4 })).toBeNull();
    expect(repair(400, {}, [called, observed(false)])).toEqual({ kind: "omit", from: 0, to: 2 });
    expect(repair(400, {}, [user("q")])).toBeNull();
  });

  it.each([
    [1, { kind: "renew" }],
    [2, { kind: "renew" }],
    [3, null],
    [4, null],
  ])("B61, B63: at tier %s the next is %j", (repairTier, next) => {
    expect(repair(400, { repairTier })).toEqual(next);
  });
});
