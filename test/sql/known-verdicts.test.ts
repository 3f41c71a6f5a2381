import { describe, expect, it } from "vitest";
import { type Judged, openKnownVerdicts } from "../../src/sql/known-verdicts.ts";
import type { Scopes } from "../../src/sql/scopes.ts";

const judged = (readAt = 0): Judged => ({ snapshot: { readAt }, names: null }) as Judged;

function openAt(binding: object, scopes: Scopes = {}, rowsMax = 1_001, now = 0) {
  const clock = { now };
  return { clock, known: openKnownVerdicts(binding, scopes, rowsMax, () => clock.now) };
}

describe("known verdicts", () => {
  it("are shared over one binding by callers with the same scopes, whatever the order of their fields", () => {
    const binding = {};
    const verdict = judged();
    openAt(binding, { rowCap: 5, tables: { deny: ["Salary"] } }).known.keep("SELECT 1", verdict);
    expect(openAt(binding, { tables: { deny: ["Salary"] }, rowCap: 5 }).known.find("SELECT 1")).toBe(verdict);
    expect(openAt({}, { tables: { deny: ["Salary"] }, rowCap: 5 }).known.find("SELECT 1")).toBeNull();
  });

  it.each<[string, Scopes, number]>([
    ["none", {}, 1_001],
    ["another table", { tables: { deny: ["Wage"] } }, 1_001],
    ["a mask more", { tables: { deny: ["Salary"] }, columns: { mask: ["*.Phone"] } }, 1_001],
    ["a masked kind", { tables: { deny: ["Salary"] }, maskValues: ["email"] }, 1_001],
    ["allow for deny", { tables: { allow: ["Salary"] } }, 1_001],
    ["other rows asked for", { tables: { deny: ["Salary"] } }, 6],
  ])("are of no other scopes: %s", (_what, scopes, rowsMax) => {
    const binding = {};
    openAt(binding, { tables: { deny: ["Salary"] } }).known.keep("SELECT 1", judged());
    expect(openAt(binding, scopes, rowsMax).known.find("SELECT 1")).toBeNull();
  });

  it("are forgotten when dropped, and when the counts behind them are five minutes old", () => {
    const { known, clock } = openAt({});
    known.keep("SELECT 1", judged(1_000));
    clock.now = 300_999;
    expect(known.find("SELECT 1")).not.toBeNull();
    clock.now = 301_000;
    expect(known.find("SELECT 1")).toBeNull();
    clock.now = 0;
    expect(known.find("SELECT 1")).toBeNull();
    known.keep("SELECT 2", judged());
    known.drop("SELECT 2");
    expect(known.find("SELECT 2")).toBeNull();
  });

  it("are bounded: by statements, the least used goes first; by callers; and by length", () => {
    const binding = {};
    const { known } = openAt(binding);
    for (let n = 0; n < 200; n += 1) known.keep(`SELECT ${n}`, judged());
    expect(known.find("SELECT 0")).not.toBeNull();
    known.keep("SELECT 200", judged());
    expect([known.find("SELECT 0") === null, known.find("SELECT 1") === null]).toEqual([false, true]);
    known.keep(`SELECT '${"x".repeat(8_000)}'`, judged());
    expect(known.find(`SELECT '${"x".repeat(8_000)}'`)).toBeNull();
    for (let cap = 1; cap <= 50; cap += 1) openAt(binding, { rowCap: cap });
    expect(openAt(binding).known.find("SELECT 0")).toBeNull();
  });
});
