import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDeliveries } from "../../src/durable/deliveries.ts";
import { toPublicDeliveries } from "../../src/durable/outbox.ts";
import { CALLBACK_ORIGIN, DOOR_SETTINGS } from "../fakes/door-settings.ts";
import { storedRun } from "./stored-run.ts";

const HOUR_MS = 60 * 60 * 1000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function finishedRun(env: object) {
  const run = storedRun({ callbackUrl: `${CALLBACK_ORIGIN}/hook` });
  for (let step = 0; step < 4; step += 1) await run.step();
  const deliveries = createDeliveries(run.storage, env);
  const show = () => toPublicDeliveries(run.journal)[0];
  /** Goes to every due time there is; gives the number of them. */
  const deliverAll = async (max = 100): Promise<number> => {
    for (let wakes = 0; wakes < max; wakes += 1) {
      const at = deliveries.dueAt(run.journal);
      if (at === null) return wakes;
      vi.setSystemTime(Math.max(Date.now(), at));
      await deliveries.sendDue(run.journal);
    }
    return max;
  };
  return { ...run, deliveries, show, deliverAll };
}

describe("what is sent out", () => {
  it("O3: is nothing while the run goes on", async () => {
    const { storage, journal } = storedRun({ callbackUrl: `${CALLBACK_ORIGIN}/hook` });
    const deliveries = createDeliveries(storage, DOOR_SETTINGS);
    const send = vi.spyOn(globalThis, "fetch");
    expect(deliveries.dueAt(journal)).toBeNull();
    expect(await deliveries.sendDue(journal)).toBe(false);
    expect(send).not.toHaveBeenCalled();
  });

  it("is written down before it leaves: what the receiver sees is counted already", async () => {
    const run = await finishedRun(DOOR_SETTINGS);
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
      expect(run.show()).toMatchObject({ state: "pending", attempts: 1 });
      return new Response(null, { status: 204 });
    });
    expect(await run.deliverAll()).toBe(1);
    expect(run.show()).toEqual({ kind: "webhook", state: "delivered", attempts: 1, next_at: null, last_status: 204 });
  });

  it("is given up after ten tries over three days", async () => {
    const run = await finishedRun(DOOR_SETTINGS);
    const startedAt = Date.now();
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(null, { status: 500 }));
    expect(await run.deliverAll()).toBe(10);
    expect(run.show()).toMatchObject({ state: "failed", attempts: 10, last_status: 500 });
    expect(Date.now() - startedAt).toBeGreaterThan(75 * HOUR_MS);
    expect(Date.now() - startedAt).toBeLessThan(92 * HOUR_MS);
  });

  it("comes to an end also when the settings cannot be read, instead of waking the object for ever", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const run = await finishedRun({ SLACK_SIGNING_SECRET: "half a door" });
    const send = vi.spyOn(globalThis, "fetch");
    expect(await run.deliverAll()).toBe(10);
    expect(run.show()?.state).toBe("failed");
    expect([send.mock.calls.length, log.mock.calls.length]).toEqual([0, 10]);
    expect(JSON.stringify(log.mock.calls)).not.toContain("half a door");
  });

  it("goes nowhere without a secret to sign it, or to an origin that is not allowed any more", async () => {
    for (const change of [{ WEBHOOK_SIGNING_SECRET: "" }, { CALLBACK_ORIGINS: "https://other.example.com" }]) {
      const run = await finishedRun({ ...DOOR_SETTINGS, ...change });
      const send = vi.spyOn(globalThis, "fetch");
      await run.deliverAll();
      expect([run.show()?.state, send.mock.calls.length]).toEqual(["failed", 0]);
    }
  });
});
