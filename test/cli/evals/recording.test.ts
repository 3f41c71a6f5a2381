import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRecording, type Recording } from "../../../src/cli/evals/recording.ts";
import { status, text } from "../../fakes/anthropic-script.ts";
import { type FakeAnthropic, startFakeAnthropic } from "../../fakes/fake-anthropic.ts";
import { temporaryFolder } from "../database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
let vendor: FakeAnthropic;
let open: Recording | null = null;
beforeEach(async () => {
  folder = temporaryFolder();
  vendor = await startFakeAnthropic({
    apiKey: "secret-key",
    script: [text("one"), text("two"), status(529, { retryAfter: 7 })],
  });
});
afterEach(async () => {
  await open?.close();
  await vendor.stop();
  folder.remove();
});

async function start(upstream: string | null): Promise<Recording> {
  await open?.close();
  open = await openRecording({ folder: folder.path, upstream });
  return open;
}

async function ask(
  recording: Recording,
  question: string,
): Promise<{ status: number; text: string; retryAfter: string | null }> {
  const response = await fetch(`${recording.url}/v1/messages`, {
    method: "POST",
    headers: {
      authorization: "Bearer secret-key",
      "anthropic-version": "2026-10-21",
      "content-type": "application/json",
    },
    body: JSON.stringify({
      model: "claude-haiku-5-5",
      max_tokens: 100,
      messages: [{ role: "user", content: question }],
    }),
  });
  return { status: response.status, text: await response.text(), retryAfter: response.headers.get("retry-after") };
}

describe("a recording of model replies", () => {
  it("C31: answers what was recorded, byte for byte, in order, with no request leaving", async () => {
    const recorder = await start(vendor.url);
    const recorded = [await ask(recorder, "same"), await ask(recorder, "same"), await ask(recorder, "other")];
    expect(recorded.map((each) => each.status)).toEqual([200, 200, 529]);

    const player = await start(null);
    expect([await ask(player, "same"), await ask(player, "same"), await ask(player, "other")]).toEqual(recorded);
    expect(recorded[2]?.retryAfter).toBe("7");
    expect(player.counts()).toEqual({ answered: 3, missing: 0 });
    expect(vendor.requests).toHaveLength(3);
  });

  it("refuses a request that was never recorded, and counts it", async () => {
    const player = await start(null);
    expect(await ask(player, "new")).toMatchObject({ status: 400, text: expect.stringMatching(/was not recorded/) });
    expect(player.counts()).toEqual({ answered: 0, missing: 1 });
    expect(vendor.requests).toHaveLength(0);
  });

  it("keeps no key in its files", async () => {
    await ask(await start(vendor.url), "same");
    const files = readdirSync(folder.path);
    expect(files).toHaveLength(1);
    expect(readFileSync(join(folder.path, files[0] ?? ""), "utf8")).not.toContain("secret-key");
  });

  it("a vendor that cannot be reached is an error of that request", async () => {
    const recorder = await start("http://127.0.0.1:1");
    expect((await ask(recorder, "same")).status).toBe(502);
  });
});
