import { describe, expect, it } from "vitest";
import { createEntry, createReply, entrySchema, RESPONSE_URL_MS } from "../../src/durable/outbox-entry.ts";

const PRESS = { responseUrl: "https://hooks.slack.com/actions/1", receivedAt: 1_700_000_000_000 };

describe("an entry of the outbox", () => {
  it("begins pending, untried, with nothing counted", () => {
    expect(createEntry({ id: "webhook", kind: "webhook", what: "finished" })).toMatchObject({
      state: "pending",
      attempts: 0,
      tries: 0,
      posts: 0,
      nextAt: null,
      lastStatus: null,
    });
  });

  it("for a press, is due when the press was made and goes where it was made, for half an hour less one try", () => {
    const entry = createReply("press:1", "rows", PRESS);
    expect(entry).toMatchObject({
      nextAt: PRESS.receivedAt,
      responseUrl: PRESS.responseUrl,
      responseType: "ephemeral",
    });
    expect(entry.expiresAt).toBe(PRESS.receivedAt + RESPONSE_URL_MS);
    expect(RESPONSE_URL_MS).toBeLessThan(30 * 60_000 - 15_000);
  });

  it("has a strict stored form", () => {
    const entry = createReply("press:1", "notice", PRESS, { message: { text: "No.", blocks: [] } });
    expect(entrySchema.parse(JSON.parse(JSON.stringify(entry)))).toEqual(entry);
    for (const broken of [
      { ...entry, state: "lost" },
      { ...entry, posts: -1 },
      { ...entry, message: 1 },
      { ...entry, x: 1 },
    ]) {
      expect(entrySchema.safeParse(broken).success).toBe(false);
    }
  });
});
