import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DeliveryOutcome } from "../../src/deliver/outcome.ts";
import { dueAtOf, type Outbox, readOutbox } from "../../src/durable/outbox.ts";
import { createReply } from "../../src/durable/outbox-entry.ts";
import {
  beginTry,
  isSpent,
  mayUseUrl,
  RESPONSE_URL_POSTS_MAX,
  sendAgain,
  settleTry,
} from "../../src/durable/outbox-tries.ts";
import { entryOf, MINUTE, NOW, source, URL } from "./outbox-source.ts";

const DELIVERED: DeliveryOutcome = { kind: "delivered", status: 200 };
const LATER: DeliveryOutcome = { kind: "retryable", status: 500, mayHaveArrived: false };
const UNSURE: DeliveryOutcome = { kind: "retryable", status: null, mayHaveArrived: true };

describe("the posts of a response URL", () => {
  it("are not all used up by questions on the way: the last is kept for the answer", () => {
    const asks = ["a1", "a2", "a3", "a4"].map((id) =>
      createReply(`ask:${id}`, "ask", { responseUrl: URL, receivedAt: NOW }, { posts: 1, state: "delivered" }),
    );
    const next = createReply("ask:a5", "ask", { responseUrl: URL, receivedAt: NOW });
    const outbox = [entryOf("slack"), ...asks, next];
    expect(mayUseUrl(next, outbox, NOW)).toBe(false);
    expect(mayUseUrl(entryOf("slack"), outbox, NOW)).toBe(true);
  });
});

describe("one try", () => {
  it("L1: is written down before it is made, with a time for the case that nothing more is heard of it", () => {
    const begun = beginTry(entryOf("webhook"), false, NOW);
    expect(begun).toMatchObject({ attempts: 1, tries: 1, posts: 0, state: "pending", nextAt: NOW + 30_000 });
    expect(dueAtOf(begun, NOW)).toBe(NOW + 30_000);
  });

  it("that delivers is the last", () => {
    const settled = settleTry(beginTry(entryOf("webhook"), false, NOW), false, DELIVERED, false, NOW, 0);
    expect(settled).toMatchObject({ state: "delivered", nextAt: null, attempts: 1, lastStatus: 200 });
  });

  it("that fails is followed by the next of the schedule, and after the tenth the delivery has failed", () => {
    let entry = entryOf("webhook");
    const gaps: number[] = [];
    let now = NOW;
    while (entry.state === "pending") {
      entry = settleTry(beginTry(entry, false, now), false, LATER, false, now, 0);
      gaps.push((entry.nextAt ?? now) - now);
      now = entry.nextAt ?? now;
    }
    expect(gaps.map((gap) => gap / 1000)).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, 0]);
    expect(entry).toMatchObject({ state: "failed", attempts: 10, lastStatus: 500 });
  });

  it("keeps to Retry-After", () => {
    const outcome: DeliveryOutcome = { ...LATER, afterMs: 90_000 };
    expect(settleTry(beginTry(entryOf("webhook"), false, NOW), false, outcome, false, NOW, 0).nextAt).toBe(
      NOW + 90_000,
    );
  });

  it("410 switches the callback off; other refusals for good are failures", () => {
    const begun = beginTry(entryOf("webhook"), false, NOW);
    const gone: DeliveryOutcome = { kind: "fatal", status: 410, reason: "gone" };
    expect(settleTry(begun, false, gone, false, NOW, 0).state).toBe("disabled");
    const refused: DeliveryOutcome = { kind: "fatal", status: 403, reason: "refused" };
    expect(settleTry(beginTry(entryOf("slack"), true, NOW), true, refused, false, NOW, 0).state).toBe("failed");
  });

  it("begins anew by hand, whatever came of the ones before", () => {
    const failed = { ...entryOf("webhook"), state: "failed", attempts: 10, tries: 10, nextAt: null } as const;
    expect(sendAgain(failed, NOW)).toMatchObject({ state: "pending", tries: 0, attempts: 10, nextAt: NOW });
  });

  it("is not made when a crash in the last one left nothing to try", () => {
    expect(isSpent({ ...entryOf("webhook"), tries: 9 })).toBe(false);
    expect(isSpent({ ...entryOf("webhook"), tries: 10 })).toBe(true);
  });
});

describe("a response URL", () => {
  it("takes five posts; one that was refused for sure takes none, one that may have arrived takes one", () => {
    let entry = entryOf("slack");
    const posts = (outcome: DeliveryOutcome): number => {
      entry = settleTry(beginTry(entry, true, NOW), true, outcome, true, NOW, 0);
      return entry.posts;
    };
    expect([LATER, LATER, UNSURE, LATER, UNSURE].map(posts)).toEqual([0, 0, 1, 1, 2]);
  });

  it("is never used a sixth time, whatever happens, by all entries together", () => {
    const outcome = fc.constantFrom(DELIVERED, LATER, UNSURE);
    fc.assert(
      fc.property(fc.array(fc.tuple(outcome, fc.boolean(), fc.boolean()), { maxLength: 40 }), (events) => {
        let outbox: Outbox = [entryOf("slack"), createReply("press:1", "rows", { responseUrl: URL, receivedAt: NOW })];
        let taken = 0;
        for (const [result, first, crashes] of events) {
          const entry = outbox[first ? 0 : 1];
          if (entry === undefined || !mayUseUrl(entry, outbox, NOW)) continue;
          const begun = beginTry(entry, true, NOW);
          // A crash after the request has left: nobody knows, so it counts.
          const next = crashes ? begun : settleTry(begun, true, result, true, NOW, 0);
          if (crashes || result !== LATER) taken += 1;
          outbox = outbox.map((other) => (other.id === entry.id ? { ...next, state: "pending" } : other));
        }
        expect(taken).toBeLessThanOrEqual(RESPONSE_URL_POSTS_MAX);
      }),
    );
  });

  it("is not used after half an hour", () => {
    const outbox = readOutbox(source());
    expect(mayUseUrl(entryOf("slack"), outbox, NOW + 29 * MINUTE)).toBe(true);
    expect(mayUseUrl(entryOf("slack"), outbox, NOW + 30 * MINUTE)).toBe(false);
    expect(mayUseUrl(entryOf("webhook"), outbox, NOW)).toBe(false);
  });

  it("that takes no more is left for the other way at once, if there is one", () => {
    const gone: DeliveryOutcome = { kind: "fatal", status: 404, reason: "gone" };
    const begun = beginTry(entryOf("slack"), true, NOW);
    const turned = settleTry(begun, true, gone, true, NOW, 0);
    expect(turned).toMatchObject({ state: "pending", isUrlSpent: true, tries: 0, nextAt: NOW, posts: 0 });
    expect(mayUseUrl(turned, [turned], NOW)).toBe(false);
    expect(settleTry(begun, true, gone, false, NOW, 0).state).toBe("failed");
    const last = { ...begun, tries: 8 };
    expect(settleTry(last, true, LATER, true, NOW, 0)).toMatchObject({ isUrlSpent: true, state: "pending" });
    expect(settleTry(last, true, LATER, false, NOW, 0).state).toBe("failed");
  });
});
