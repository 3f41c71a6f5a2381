import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import { NOW } from "../fakes/fake-run-object.ts";
import { CALLERS, createHarness, KEY, readProblem } from "./harness.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const GITHUB_SECRET = "a secret of enough characters";
const SETTINGS = {
  QUERENT_CALLERS: CALLERS,
  WEBHOOK_SOURCES: JSON.stringify({
    alerts: { scheme: "standard", secrets: [SECRET], question: "Why did {{/data/metric}} fall?", daily_usd: 1 },
    forms: { scheme: "standard", secrets: [SECRET], question: "/question", caller: "alice" },
    repo: { scheme: "github", secrets: [GITHUB_SECRET], question: "How many issues mention {{/issue/title}}?" },
    twin: { scheme: "github", secrets: [GITHUB_SECRET], question: "How many issues mention {{/issue/title}}?" },
    daily: { scheme: "github", secrets: [GITHUB_SECRET], question: "/question", allow_identical_bodies: true },
  }),
};

type Harness = ReturnType<typeof createHarness>;

function deliver(harness: Harness, source: string, body: string, options: { id?: string; at?: number } = {}) {
  const { id = "msg_1", at = NOW } = options;
  return harness.request(`/v1/webhooks/${source}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at / 1000)),
      "webhook-signature": new Webhook(SECRET).sign(id, new Date(at), body),
    },
    body,
  });
}

function deliverGithub(harness: Harness, body: string, more: Record<string, string> = {}, source = "repo") {
  const digest = createHmac("sha256", GITHUB_SECRET).update(body).digest("hex");
  return harness.request(`/v1/webhooks/${source}`, {
    method: "POST",
    headers: { "x-github-delivery": "d-1", "x-hub-signature-256": `sha256=${digest}`, ...more },
    body,
  });
}

const ALERT = '{"type":"alert","data":{"metric":"revenue"}}';

describe("POST /v1/webhooks/:source", () => {
  test("a signed delivery becomes a run of the source's caller: 202 with its links and nothing else", async () => {
    const harness = createHarness(SETTINGS);
    const response = await deliver(harness, "alerts", ALERT);
    expect(response.status).toBe(202);
    const accepted = (await response.json()) as { id: string; links: { self: string } };
    expect(Object.keys(accepted).sort()).toEqual(["id", "links"]);
    expect(response.headers.get("location")).toBe(accepted.links.self);
    expect(harness.runs.get(accepted.id)).toMatchObject({
      driver: "alarm",
      started: { question: "Why did revenue fall?", caller: "webhook:alerts", mode: "auto" },
    });
    expect(harness.callers.get("webhook:alerts")?.admitted[0]?.policy.dailyNanoUsdMax).toBe(1_000_000_000);
  });

  test("a source that names a caller makes runs that the caller's key can read", async () => {
    const harness = createHarness(SETTINGS);
    const response = await deliver(harness, "forms", '{"question":"How many albums?"}');
    const { links } = (await response.json()) as { links: { self: string } };
    const read = await harness.request(links.self, { headers: { authorization: `Bearer ${KEY}` } });
    expect(read.status).toBe(200);
  });

  test("I1: one id twice, also at once and with other bytes, makes one run, and both get it", async () => {
    const harness = createHarness(SETTINGS);
    const answers = await Promise.all([
      deliver(harness, "alerts", ALERT),
      deliver(harness, "alerts", ALERT, { at: NOW + 5_000 }),
      deliver(harness, "alerts", `${ALERT} `),
    ]);
    const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: string }).id));
    expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202]);
    expect(new Set(ids).size).toBe(1);
    expect(harness.runs.size).toBe(1);
    expect((await deliver(harness, "alerts", ALERT, { id: "msg_2" })).status).toBe(202);
    expect(harness.runs.size).toBe(2);
  });

  test("I1: an id is kept for longer than any sender tries", async () => {
    const harness = createHarness(SETTINGS);
    const caller = harness.bindings.CALLERS.get(harness.bindings.CALLERS.idFromName("webhook:alerts"));
    const claim = vi.spyOn(caller, "claim");
    await deliver(harness, "alerts", ALERT);
    expect(claim.mock.calls).toEqual([["webhook:alerts:msg_1", "", expect.any(String), 14 * 24 * 60 * 60 * 1000]]);
  });

  test("I1: one that comes again when its run is over begins nothing: 202 while the run is kept, then 204", async () => {
    const harness = createHarness(SETTINGS);
    const { id } = (await (await deliver(harness, "alerts", ALERT)).json()) as { id: string };
    const object = harness.runs.get(id)!;
    object.end("answered", "done");
    harness.callers.get("webhook:alerts")?.over.add(id);
    const kept = await deliver(harness, "alerts", ALERT);
    expect([kept.status, ((await kept.json()) as { id: string }).id]).toEqual([202, id]);
    object.run = null;
    const gone = await deliver(harness, "alerts", ALERT);
    expect([gone.status, await gone.text()]).toEqual([204, ""]);
    expect(object.calls.filter((call) => call === "start")).toHaveLength(1);
  });

  test("I1: a replay after ten minutes is 401, and a delivery from the future too", async () => {
    const harness = createHarness(SETTINGS);
    for (const at of [NOW - 600_000, NOW + 600_000]) {
      const response = await deliver(harness, "alerts", ALERT, { at });
      expect(response.status).toBe(401);
      expect((await readProblem(response)).code).toBe("invalid_signature");
    }
    expect(harness.runs.size).toBe(0);
  });

  test("nothing but size is looked at before the signature", async () => {
    const harness = createHarness(SETTINGS);
    for (const body of ["", "{", "[]", '{"data":{}}', "\u0000"]) {
      const response = await harness.request("/v1/webhooks/alerts", { method: "POST", body });
      expect(response.status).toBe(401);
    }
    const large = await harness.request("/v1/webhooks/alerts", { method: "POST", body: "x".repeat(1_000_001) });
    expect(large.status).toBe(413);
    expect(harness.callers.size).toBe(0);
  });

  test.each([
    ["{", 400, "invalid_json"],
    ["", 400, "invalid_json"],
    ['{"data":{"metric":"a"},"data":{"metric":"b"}}', 400, "invalid_json"],
    ["{}", 422, "question_not_found"],
    ['{"data":{"metric":["revenue"]}}', 422, "question_not_found"],
    ['{"data":{"metric":"a\\u0000b"}}', 400, "invalid_request"],
    [JSON.stringify({ data: { metric: "x".repeat(5_000) } }), 400, "invalid_request"],
  ])("the signed body %j is %i", async (body, status, code) => {
    const harness = createHarness(SETTINGS);
    const response = await deliver(harness, "alerts", body);
    expect([response.status, (await readProblem(response)).code]).toEqual([status, code]);
    expect(harness.callers.size).toBe(0);
  });

  test("an unknown source is 404, whatever it is called", async () => {
    const harness = createHarness(SETTINGS);
    for (const source of ["nobody", "constructor", "__proto__", "%00"]) {
      expect((await deliver(harness, source, ALERT)).status).toBe(404);
    }
  });

  test("when the caller is out of money the sender is told to come back, and the same delivery works then", async () => {
    const harness = createHarness(SETTINGS);
    await deliver(harness, "alerts", ALERT);
    const caller = harness.callers.get("webhook:alerts")!;
    caller.refusal = { kind: "refused", reason: "daily_budget", retryAfterS: 60, rate: { remaining: 0, resetS: 1 } };
    const refused = await deliver(harness, "alerts", ALERT, { id: "msg_2" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    caller.refusal = null;
    expect((await deliver(harness, "alerts", ALERT, { id: "msg_2" })).status).toBe(202);
    expect(harness.runs.size).toBe(2);
  });

  test("a key opens no webhook, and a signature no run", async () => {
    const harness = createHarness(SETTINGS);
    const response = await harness.post("/v1/webhooks/forms", { question: "x" }, { authorization: `Bearer ${KEY}` });
    expect(response.status).toBe(401);
  });
});

describe("a source of GitHub's scheme", () => {
  test("asks by the delivery's id, and answers the ping without a run", async () => {
    const harness = createHarness(SETTINGS);
    const body = '{"issue":{"title":"Login \\"broken\\""}}';
    const ping = await deliverGithub(harness, '{"zen":"x"}', { "x-github-event": "ping" });
    expect(ping.status).toBe(204);
    expect(harness.runs.size).toBe(0);
    const first = await deliverGithub(harness, body, { "x-github-event": "issues" });
    const again = await deliverGithub(harness, body, { "x-github-event": "issues" });
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(await first.json()).toEqual(await again.json());
    expect([...harness.runs.values()][0]?.started?.question).toBe('How many issues mention Login "broken"?');
  });

  test("I1: a caught delivery sent again under another id, at once or later, is the run that there is", async () => {
    const harness = createHarness(SETTINGS);
    const body = '{"issue":{"title":"Login"}}';
    const answers = await Promise.all(
      ["d-1", "d-2", "d-3"].map((id) => deliverGithub(harness, body, { "x-github-delivery": id })),
    );
    const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: string }).id));
    expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202]);
    expect(new Set(ids).size).toBe(1);
    expect(harness.runs.size).toBe(1);
    const other = await deliverGithub(harness, `${body} `, { "x-github-delivery": "d-1" });
    expect(other.status).toBe(202);
    expect(harness.runs.size).toBe(2);
    await deliverGithub(harness, body, {}, "twin");
    expect(harness.runs.size).toBe(3);
  });

  test("a source that allows identical bodies asks once for each delivery id", async () => {
    const harness = createHarness(SETTINGS);
    const body = '{"question":"How much was sold yesterday?"}';
    for (const id of ["d-1", "d-2", "d-2"]) await deliverGithub(harness, body, { "x-github-delivery": id }, "daily");
    expect(harness.runs.size).toBe(2);
  });

  test("a form, which is what GitHub sends unless told otherwise, is 415 with what to do, from the ping on", async () => {
    const harness = createHarness(SETTINGS);
    const body = `payload=${encodeURIComponent('{"issue":{"title":"Login"}}')}`;
    const type = { "content-type": "application/x-www-form-urlencoded" };
    for (const event of ["ping", "issues"]) {
      const response = await deliverGithub(harness, body, { ...type, "x-github-event": event });
      expect(response.status).toBe(415);
      expect((await readProblem(response)).detail).toContain("Choose the content type application/json");
    }
    expect((await deliverGithub(harness, body, { ...type, "x-hub-signature-256": "sha256=0" })).status).toBe(401);
    expect(harness.runs.size).toBe(0);
  });

  test("an unsigned ping is 401", async () => {
    const harness = createHarness(SETTINGS);
    const response = await harness.request("/v1/webhooks/repo", {
      method: "POST",
      headers: { "x-github-event": "ping", "x-github-delivery": "d-1" },
      body: "{}",
    });
    expect(response.status).toBe(401);
  });
});
