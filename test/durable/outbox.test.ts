import { describe, expect, it } from "vitest";
import { dueAtOf, encodeOutbox, readOutbox, toPublicDeliveries } from "../../src/durable/outbox.ts";
import { createEntry, createReply } from "../../src/durable/outbox-entry.ts";
import { entryOf, NOW, SETTINGS, source, URL } from "./outbox-source.ts";

describe("what a run sends out", () => {
  it("is its outcome, to the callback and to Slack, if it has them", () => {
    expect(readOutbox(source()).map((entry) => `${entry.id} ${entry.what} ${entry.state}`)).toEqual([
      "webhook finished pending",
      "slack finished pending",
    ]);
    expect(readOutbox(source(null, null, { ...SETTINGS, callbackUrl: null, slack: null }))).toEqual([]);
  });

  it("O3: is not due before the outcome is stored, and then at once", () => {
    expect(dueAtOf(entryOf("webhook"), null)).toBeNull();
    expect(dueAtOf(entryOf("webhook"), NOW)).toBe(NOW);
    expect(dueAtOf({ ...entryOf("webhook"), nextAt: NOW + 5_000 }, NOW)).toBe(NOW + 5_000);
  });

  it("begins with a working message when the door could not show one, and drops it at the end", () => {
    const working = { text: "Working on it", blocks: [] };
    const slack = SETTINGS.slack ? { ...SETTINGS.slack, working } : null;
    const entry = entryOf("working", readOutbox(source(null, null, { ...SETTINGS, slack })));
    expect(dueAtOf(entry, null)).toBe(0);
    expect(dueAtOf(entry, NOW)).toBeNull();
  });

  it("C48: asks in Slack for what the run waits for, once, where the answer is to stand", () => {
    const asking = source(null, null, SETTINGS, "a1");
    const entry = entryOf("ask:a1", readOutbox(asking));
    expect(entry).toMatchObject({ what: "ask", state: "pending", responseUrl: URL, replaceOriginal: true });
    expect(dueAtOf(entry, null)).toBe(0);
    expect(dueAtOf(entry, NOW)).toBeNull();
    const sent = encodeOutbox([...readOutbox(source()), { ...entry, state: "delivered", nextAt: null }]);
    const stored = readOutbox(source(sent, null, SETTINGS, "a1"));
    expect(stored.filter(({ what }) => what === "ask").map(({ id, state }) => [id, state])).toEqual([
      ["ask:a1", "delivered"],
      ["ask:a1:webhook", "pending"],
    ]);
    const calledBack = readOutbox(source(null, null, { ...SETTINGS, slack: null }, "a1"));
    expect(calledBack.map(({ id, kind, what }) => [id, kind, what])).toEqual([
      ["webhook", "webhook", "finished"],
      ["ask:a1:webhook", "webhook", "ask"],
    ]);
    expect(readOutbox(source(null, null, { ...SETTINGS, slack: null, callbackUrl: null }, "a1"))).toEqual([]);
  });

  it("asks no more what has been decided by another door, and does not say that it works while it waits", () => {
    const working = { text: "Working on it", blocks: [] };
    const slack = SETTINGS.slack ? { ...SETTINGS.slack, working } : null;
    const settings = { ...SETTINGS, slack };
    const waiting = readOutbox(source(null, null, settings, "a1"));
    expect(entryOf("working", waiting).state).toBe("failed");
    const stored = encodeOutbox(waiting);
    expect(entryOf("ask:a1", readOutbox(source(stored, null, settings))).state).toBe("failed");
    const next = readOutbox(source(stored, null, settings, "a2"));
    expect(next.filter(({ what }) => what === "ask").map(({ id, state }) => [id, state])).toEqual([
      ["ask:a1:webhook", "failed"],
      ["ask:a1", "failed"],
      ["ask:a2:webhook", "pending"],
      ["ask:a2", "pending"],
    ]);
  });

  it("does not forget what it has asked or posted to the channel, however many buttons are pressed", () => {
    const target = { responseUrl: URL, receivedAt: NOW };
    const settled = { state: "delivered", nextAt: null } as const;
    const asked = readOutbox(source(null, null, SETTINGS, "a1")).map((entry) =>
      entry.what === "ask" ? { ...entry, ...settled } : entry,
    );
    const presses = Array.from({ length: 60 }, (_, n) => createReply(`press:${n}`, "notice", target, settled));
    const stored = encodeOutbox([...asked, createReply("press:s", "share", target, settled), ...presses]);
    const kept = readOutbox(source(stored, null, SETTINGS, "a1"));
    expect(kept.filter(({ what }) => what === "ask").map(({ state }) => state)).toEqual(["delivered", "delivered"]);
    expect(kept.find(({ what }) => what === "share")?.state).toBe("delivered");
    expect(kept.length).toBeLessThanOrEqual(40);
  });

  it("survives being stored", () => {
    const outbox = [...readOutbox(source()), createReply("press:1", "rows", { responseUrl: URL, receivedAt: NOW })];
    expect(readOutbox(source(encodeOutbox(outbox)))).toEqual(outbox);
  });

  it("is not sent a second time when its record cannot be read", () => {
    for (const text of ["{", "[1]", '[{"id":"webhook"}]']) {
      const outbox = readOutbox(source(text, NOW));
      expect(outbox.map((entry) => [entry.state, dueAtOf(entry, NOW)])).toEqual([
        ["failed", null],
        ["failed", null],
      ]);
    }
  });

  it("forgets old presses, but nothing that is pending and not the outcome", () => {
    const press = { responseUrl: URL, receivedAt: NOW };
    const settled = Array.from({ length: 60 }, (_, index) =>
      createReply(`press:${index}`, "rows", press, { state: "delivered" }),
    );
    const pending = createReply("press:pending", "rows", press);
    const kept = readOutbox(source(encodeOutbox([...readOutbox(source()), pending, ...settled])));
    expect(kept).toHaveLength(40);
    expect(kept.slice(0, 3).map((entry) => entry.id)).toEqual(["webhook", "slack", "press:pending"]);
    expect(kept.at(-1)?.id).toBe("press:59");
  });
});

describe("how deliveries are shown", () => {
  it("tells kind, state, attempts, next time and last status, and no address", () => {
    const shown = toPublicDeliveries(source(null, NOW));
    const at = new Date(NOW).toISOString();
    expect(shown).toEqual([
      { kind: "webhook", state: "pending", attempts: 0, next_at: at, last_status: null },
      { kind: "slack", state: "pending", attempts: 0, next_at: at, last_status: null },
    ]);
    const press = createReply("press:1", "rows", { responseUrl: URL, receivedAt: NOW });
    const done = createEntry({
      id: "slack",
      kind: "slack",
      what: "finished",
      state: "delivered",
      attempts: 2,
      lastStatus: 200,
    });
    expect(toPublicDeliveries(source(encodeOutbox([done, press]), NOW))).toEqual([
      { kind: "slack", state: "delivered", attempts: 2, next_at: null, last_status: 200 },
    ]);
  });
});
