import { expect, it } from "vitest";
import { toRecord } from "../../src/agent/replay-record.ts";
import { endingWith, stateWith } from "./states.ts";

const done = stateWith({ phase: "finish", ending: endingWith({}) });

it("an export is a record when it has states, the last of them an end; other lines are left out", () => {
  const event = { type: "run_started", at: "2026-11-30T12:00:00.000Z", step: 0 };
  const entries = [
    { kind: "run", run: {} },
    { kind: "message", number: 1, message: { role: "user", text: "b" } },
    { kind: "message", number: 0, message: { role: "user", text: "a" } },
    { kind: "event", seq: 1, event },
    { kind: "state", step: 1, state: done },
    { kind: "new" },
  ];
  expect(toRecord(entries)).toEqual({
    ok: true,
    value: {
      states: [done],
      messages: [
        { role: "user", text: "a" },
        { role: "user", text: "b" },
      ],
      events: [event],
    },
  });
});

it.each([
  [[], /no states/],
  [[{ kind: "state", step: 0, state: stateWith({}) }], /not finished/],
  [[{ kind: "state", step: 0, state: { version: 99 } }], /version 99/],
])("%# is refused with a reason", (entries, reason) => {
  expect(toRecord(entries)).toMatchObject({ ok: false, error: expect.stringMatching(reason) });
});
