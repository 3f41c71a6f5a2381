import { afterEach, describe, expect, it, vi } from "vitest";
import type { DeliveryPorts } from "../../src/deliver/outcome.ts";
import { deliverWebhook, signWebhook } from "../../src/deliver/webhook.ts";
import { type FakeReceiver, startFakeReceiver } from "../fakes/fake-receiver.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD_SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";

let receiver: FakeReceiver | null = null;

afterEach(async () => {
  vi.restoreAllMocks();
  await receiver?.stop();
  receiver = null;
});

async function deliver(parts: { secrets?: string[]; ports?: Partial<DeliveryPorts>; id?: string } = {}) {
  receiver ??= await startFakeReceiver(SECRET);
  const ports: DeliveryPorts = { fetch: (url, init) => fetch(url, init), now: () => Date.now(), ...parts.ports };
  const delivery = {
    url: `${receiver.url}/hook`,
    id: parts.id ?? "msg_1",
    body: '{"type":"run.finished"}',
    secrets: parts.secrets ?? [SECRET],
  };
  return deliverWebhook(delivery, ports);
}

async function withReceiver(): Promise<FakeReceiver> {
  receiver = await startFakeReceiver(SECRET);
  return receiver;
}

describe("a webhook out", () => {
  it("signs as Standard Webhooks' published vector says", async () => {
    const signature = await signWebhook([SECRET], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, '{"test": 2432232314}');
    expect(signature).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  it("is believed by the published library, and delivered by a 2xx", async () => {
    const { received } = await withReceiver();
    expect(await deliver()).toEqual({ kind: "delivered", status: 200 });
    expect(received).toMatchObject([{ id: "msg_1", isValid: true, body: { type: "run.finished" }, path: "/hook" }]);
  });

  it("carries a signature for each secret while one is replaced", async () => {
    const { received } = await withReceiver();
    await deliver({ secrets: [OLD_SECRET, SECRET] });
    expect(received[0]?.isValid).toBe(true);
    expect(received[0]?.signature.split(" ")).toHaveLength(2);
  });

  it("keeps its id over tries and has a fresh timestamp for each", async () => {
    const { received, script } = await withReceiver();
    script.push({ status: 500 });
    const start = Date.now();
    await deliver({ ports: { now: () => start } });
    await deliver({ ports: { now: () => start + 5_000 } });
    expect(received.map((one) => one.id)).toEqual(["msg_1", "msg_1"]);
    expect(Number(received[1]?.timestamp) - Number(received[0]?.timestamp)).toBe(5);
    expect(received.every((one) => one.isValid)).toBe(true);
  });

  it.each([201, 204, 299])("is delivered by %i", async (status) => {
    (await withReceiver()).script.push({ status });
    expect(await deliver()).toEqual({ kind: "delivered", status });
  });

  it.each([300, 304, 400, 401, 404, 429, 500, 502, 503, 504])("is to be tried again after %i", async (status) => {
    (await withReceiver()).script.push({ status });
    expect(await deliver()).toEqual({ kind: "retryable", status, mayHaveArrived: false });
  });

  it("does not follow a redirect, which is a failure", async () => {
    const { script, received, url } = await withReceiver();
    script.push({ status: 307, headers: { location: `${url}/elsewhere` } });
    expect(await deliver()).toMatchObject({ kind: "retryable", status: 307 });
    expect(received.map((one) => one.path)).toEqual(["/hook"]);
  });

  it("is switched off for good by 410", async () => {
    (await withReceiver()).script.push({ status: 410 });
    expect(await deliver()).toEqual({ kind: "fatal", status: 410, reason: "gone" });
  });

  it("keeps to Retry-After", async () => {
    (await withReceiver()).script.push({ status: 503, headers: { "retry-after": "90" } });
    expect(await deliver()).toMatchObject({ kind: "retryable", status: 503, afterMs: 90_000 });
  });

  it("may have arrived when the connection breaks", async () => {
    (await withReceiver()).script.push("cut");
    expect(await deliver()).toEqual({ kind: "retryable", status: null, mayHaveArrived: true });
  });

  it("does not wait for a receiver that hangs longer than its deadline, which is the request's own", async () => {
    const { script, received } = await withReceiver();
    script.push("hang");
    // The clock of the deadline is the test's, so that nobody waits for the real one.
    const late = new AbortController();
    const timed = vi.spyOn(AbortSignal, "timeout").mockReturnValue(late.signal);
    const outcome = deliver();
    await vi.waitFor(() => expect(received).toHaveLength(1));
    expect(timed.mock.calls).toEqual([[15_000]]);
    late.abort();
    expect(await outcome).toEqual({ kind: "retryable", status: null, mayHaveArrived: true });
  });

  it("I9: looks at nothing of what the receiver says", async () => {
    (await withReceiver()).script.push({ status: 500, body: "secret of the inside" });
    expect(JSON.stringify(await deliver())).not.toContain("secret");
  });

  it("sends nothing that it cannot sign", async () => {
    const { received } = await withReceiver();
    expect(await deliver({ secrets: [] })).toMatchObject({ kind: "fatal", reason: "not_allowed" });
    expect(await deliver({ secrets: ["whsec_not base64!"] })).toMatchObject({ kind: "fatal", reason: "not_allowed" });
    expect(received).toEqual([]);
  });

  it("never throws, whatever the world does", async () => {
    const ports = {
      fetch: () => {
        throw new TypeError("synchronous");
      },
    };
    expect(await deliver({ ports })).toMatchObject({ kind: "retryable" });
  });
});
