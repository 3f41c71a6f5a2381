import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DeliveryPorts } from "../../src/deliver/outcome.ts";
import { postToChannel, postToResponseUrl } from "../../src/deliver/slack.ts";
import type { SlackForms } from "../../src/deliver/slack-blocks.ts";
import { toFinishedForms } from "../../src/deliver/slack-message.ts";
import { type FakeSlack, startFakeSlack } from "../fakes/fake-slack.ts";
import { NOW, publicRun } from "./public-run.ts";

const FORMS = toFinishedForms({
  run: publicRun(),
  shown: { ref: "r1", columns: ["n"], rows: [[1]], storedRows: 1, totalRows: 1, truncated: false },
  visibility: "ephemeral",
  resultsUrl: null,
});

let slack: FakeSlack;
let now = NOW;

beforeEach(async () => {
  now = NOW;
  slack = await startFakeSlack({ signingSecret: "s", botToken: "xoxb-1", now: () => now });
});

afterEach(() => {
  vi.restoreAllMocks();
  return slack.stop();
});

const ports = (parts: Partial<DeliveryPorts> = {}): DeliveryPorts => ({
  fetch: (url, init) => fetch(url, init),
  now: () => now,
  ...parts,
});

function toUrl(url: string, forms: SlackForms = FORMS, parts: Partial<DeliveryPorts> = {}) {
  const target = { url, allowedOrigin: slack.url, responseType: "ephemeral", replaceOriginal: true } as const;
  return postToResponseUrl(target, forms, ports(parts));
}

function toChannel(forms: SlackForms = FORMS, parts: { channel?: string; token?: string } = {}) {
  const target = { apiOrigin: slack.url, token: "xoxb-1", channel: "C0001", clientMessageId: "id-1", ...parts };
  return postToChannel(target, forms, ports());
}

const statuses = () => slack.workspace.posts.map((post) => `${post.status} ${post.error ?? "ok"}`);

describe("a post to a response URL", () => {
  it("shows the message, unfurls nothing, and asks to take the place of the working one", async () => {
    const command = slack.workspace.command("how many?");
    expect(await toUrl(command.responseUrl)).toEqual({ kind: "delivered", status: 200 });
    expect(slack.workspace.messages).toMatchObject([{ channel: "C0001", to: "U0001" }]);
    expect(slack.workspace.posts[0]?.body).toMatchObject({
      response_type: "ephemeral",
      replace_original: true,
      unfurl_links: false,
      unfurl_media: false,
    });
  });

  it.each(["invalid_blocks", "msg_blocks_too_long", "invalid_attachments"])(
    "falls back when Slack says %s",
    async (error) => {
      const command = slack.workspace.command("how many?");
      slack.workspace.faults.push({ kind: "answer", status: 400, body: error });
      slack.workspace.faults.push({ kind: "answer", status: 400, body: JSON.stringify({ ok: false, error }) });
      expect(await toUrl(command.responseUrl)).toEqual({ kind: "delivered", status: 200 });
      const forms = slack.workspace.posts.map(({ body }) => (body as { blocks?: { type: string }[] }).blocks);
      expect(forms[0]?.some((block) => block.type === "table")).toBe(true);
      expect(forms[1]?.some((block) => block.type === "table")).toBe(false);
      expect(forms[2]).toBeUndefined();
      expect(slack.workspace.usesOf(command.responseUrl)).toBe(1);
      expect(slack.workspace.messages[0]?.text).toContain("$523.06");
    },
  );

  it("does not send the same form twice", async () => {
    const command = slack.workspace.command("how many?");
    const same = { rich: FORMS.plain, simple: FORMS.plain, plain: FORMS.plain };
    slack.workspace.faults.push({ kind: "answer", status: 400, body: "invalid_blocks" });
    expect(await toUrl(command.responseUrl, same)).toMatchObject({ kind: "fatal", reason: "refused" });
    expect(statuses()).toEqual(["400 invalid_blocks"]);
  });

  it("H: ends for good when the URL is used up, expired or unknown", async () => {
    const command = slack.workspace.command("how many?");
    for (let post = 0; post < 5; post += 1) await toUrl(command.responseUrl);
    expect(await toUrl(command.responseUrl)).toEqual({ kind: "fatal", status: 404, reason: "gone" });
    const late = slack.workspace.command("how many?");
    now += 30 * 60_000;
    expect(await toUrl(late.responseUrl)).toEqual({ kind: "fatal", status: 404, reason: "gone" });
    expect(await toUrl(`${slack.url}/commands/T/1/x`)).toMatchObject({ kind: "fatal", reason: "gone" });
    expect(statuses().slice(5)).toEqual(["404 used_url", "404 expired_url", "404 no_service"]);
  });

  it("is tried again after a rate limit, keeping to Retry-After, and after an error of Slack's", async () => {
    const { responseUrl } = slack.workspace.command("how many?");
    slack.workspace.faults.push({ kind: "answer", status: 429, body: "ratelimited", retryAfter: "7" });
    expect(await toUrl(responseUrl)).toEqual({ kind: "retryable", status: 429, mayHaveArrived: false, afterMs: 7_000 });
    slack.workspace.faults.push({ kind: "answer", status: 503 });
    expect(await toUrl(responseUrl)).toEqual({ kind: "retryable", status: 503, mayHaveArrived: false });
    slack.workspace.faults.push({ kind: "answer", status: 500, body: "" }, { kind: "answer", status: 429, body: "" });
    expect(await toUrl(responseUrl)).toEqual({ kind: "retryable", status: 500, mayHaveArrived: false });
    expect(await toUrl(responseUrl)).toEqual({ kind: "retryable", status: 429, mayHaveArrived: false });
    expect(slack.workspace.usesOf(responseUrl)).toBe(0);
  });

  it("may have arrived when no answer came", async () => {
    const { responseUrl } = slack.workspace.command("how many?");
    slack.workspace.faults.push({ kind: "cut_after" });
    expect(await toUrl(responseUrl)).toEqual({ kind: "retryable", status: null, mayHaveArrived: true });
    expect(slack.workspace.messages).toHaveLength(1);
  });

  it("does not wait for a Slack that hangs longer than the deadline, which is the request's own", async () => {
    const { responseUrl } = slack.workspace.command("how many?");
    slack.workspace.faults.push({ kind: "hang" });
    // The clock of the deadline is the test's, so that nobody waits for the real one.
    const late = new AbortController();
    const timed = vi.spyOn(AbortSignal, "timeout").mockReturnValue(late.signal);
    const outcome = toUrl(responseUrl);
    await vi.waitFor(() => expect(slack.workspace.faults).toEqual([]));
    expect(timed.mock.calls).toEqual([[15_000]]);
    late.abort();
    expect(await outcome).toMatchObject({ kind: "retryable", status: null, mayHaveArrived: true });
  });

  it("goes nowhere but to Slack, and follows no redirect", async () => {
    const elsewhere = await toUrl("https://evil.example/commands/T/1/x");
    expect(elsewhere).toEqual({ kind: "fatal", status: null, reason: "not_allowed" });
    expect(await toUrl("not a url")).toMatchObject({ kind: "fatal", reason: "not_allowed" });
    const { responseUrl } = slack.workspace.command("how many?");
    slack.workspace.faults.push({ kind: "answer", status: 302, body: "" });
    expect(await toUrl(responseUrl)).toMatchObject({ kind: "fatal", status: 302 });
    expect(statuses()).toEqual(["302 "]);
  });

  it("is fatal when Slack refuses the message for another reason", async () => {
    const { responseUrl } = slack.workspace.command("how many?");
    slack.workspace.faults.push({ kind: "answer", status: 403, body: "action_prohibited" });
    expect(await toUrl(responseUrl)).toEqual({ kind: "fatal", status: 403, reason: "refused" });
  });
});

describe("a post with a bot token", () => {
  it("shows the message, makes no link out of names and unfurls nothing", async () => {
    expect(await toChannel()).toEqual({ kind: "delivered", status: 200 });
    expect(slack.workspace.messages).toMatchObject([{ channel: "C0001", to: null }]);
    expect(slack.workspace.posts[0]?.body).toMatchObject({ parse: "none", link_names: false, unfurl_links: false });
  });

  it("is one message for one id, however often it is sent", async () => {
    await toChannel();
    expect(await toChannel()).toEqual({ kind: "delivered", status: 200 });
    expect(slack.workspace.messages).toHaveLength(1);
  });

  it("falls back to plain text when blocks are refused in Slack's way, with status 200", async () => {
    const refusal = { kind: "answer", status: 200, body: '{"ok":false,"error":"msg_blocks_too_long"}' } as const;
    slack.workspace.faults.push(refusal, refusal);
    expect(await toChannel()).toEqual({ kind: "delivered", status: 200 });
    expect(slack.workspace.messages[0]?.blocks).toEqual([]);
  });

  it("is tried again for what passes, and not for what does not", async () => {
    const say = (error: string) =>
      ({ kind: "answer", status: 200, body: JSON.stringify({ ok: false, error }) }) as const;
    slack.workspace.faults.push({ ...say("ratelimited"), status: 429, retryAfter: "30" });
    expect(await toChannel()).toMatchObject({ kind: "retryable", mayHaveArrived: false, afterMs: 30_000 });
    slack.workspace.faults.push(say("internal_error"));
    expect(await toChannel()).toMatchObject({ kind: "retryable", mayHaveArrived: true });
    expect(await toChannel(FORMS, { token: "xoxb-2" })).toMatchObject({ kind: "fatal", reason: "refused" });
    expect(await toChannel(FORMS, { channel: "general" })).toMatchObject({ kind: "fatal", reason: "refused" });
  });

  it("lets nothing of what Slack says out of its outcome", async () => {
    slack.workspace.faults.push({ kind: "answer", status: 200, body: '{"ok":false,"error":"secret_words"}' });
    expect(JSON.stringify(await toChannel())).not.toContain("secret");
  });
});
