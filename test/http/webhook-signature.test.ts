import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { verifyGithubWebhook, verifyStandardWebhook } from "../../src/http/webhook-signature.ts";

/** The published vector of Standard Webhooks. */
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const TIMESTAMP = "1614265330";
const BODY = '{"test": 2432232314}';
const SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const NOW = Number(TIMESTAMP) * 1000;
const OTHER_SECRET = `whsec_${btoa("other secret of 24 bytes")}`;

const bytes = (text: string) => Uint8Array.from(new TextEncoder().encode(text));

function headers(changes: Record<string, string | null> = {}): Headers {
  const all = { "webhook-id": ID, "webhook-timestamp": TIMESTAMP, "webhook-signature": SIGNATURE, ...changes };
  return new Headers(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null));
}

const verify = async (changes: Record<string, string | null>, body = bytes(BODY), secrets = [SECRET], now = NOW) =>
  (await verifyStandardWebhook(headers(changes), body, secrets, now)).ok;

describe("verifyStandardWebhook", () => {
  test("takes the published vector, and gives its id", async () => {
    expect(await verifyStandardWebhook(headers(), bytes(BODY), [SECRET], NOW)).toEqual({ ok: true, value: { id: ID } });
  });

  test("takes what the reference library signs", async () => {
    const signed = new Webhook(SECRET).sign(ID, new Date(NOW), '{"ü":"🎸"}');
    expect(await verify({ "webhook-signature": signed }, bytes('{"ü":"🎸"}'))).toBe(true);
  });

  test.each([
    ["v1,bad", SIGNATURE],
    ["v1a,AAAA", SIGNATURE],
    ["v2,AAAA", SIGNATURE],
    [SIGNATURE, "v1,bad"],
  ])("I3: several signatures, %s %s, are accepted when one is good", async (...all) => {
    expect(await verify({ "webhook-signature": all.join(" ") })).toBe(true);
  });

  test("I3: while a secret is replaced both are good", async () => {
    const byOther = new Webhook(OTHER_SECRET).sign(ID, new Date(NOW), BODY);
    for (const secrets of [
      [SECRET, OTHER_SECRET],
      [OTHER_SECRET, SECRET],
    ]) {
      expect(await verify({}, bytes(BODY), secrets)).toBe(true);
      expect(await verify({ "webhook-signature": byOther }, bytes(BODY), secrets)).toBe(true);
    }
    expect(await verify({}, bytes(BODY), [OTHER_SECRET])).toBe(false);
  });

  test.each([
    [0, true],
    [299, true],
    [300, true],
    [301, false],
    [600, false],
    [-300, true],
    [-301, false],
    [-600, false],
  ])("I1: %i seconds after its time the delivery is believed: %s", async (seconds, believed) => {
    expect(await verify({}, bytes(BODY), [SECRET], NOW + seconds * 1000)).toBe(believed);
  });

  test.each<[string, Record<string, string | null>]>([
    ["no id", { "webhook-id": null }],
    ["an empty id", { "webhook-id": "" }],
    ["another id", { "webhook-id": "msg_other" }],
    ["an id with a dot", { "webhook-id": `${ID}.1614265330` }],
    ["a repeated id", { "webhook-id": `${ID}, ${ID}` }],
    ["no timestamp", { "webhook-timestamp": null }],
    ["another timestamp", { "webhook-timestamp": "1614265331" }],
    ["a timestamp in words", { "webhook-timestamp": "now" }],
    ["a timestamp with a fraction", { "webhook-timestamp": "1614265330.0" }],
    ["a timestamp with a sign", { "webhook-timestamp": "+1614265330" }],
    ["a repeated timestamp", { "webhook-timestamp": `${TIMESTAMP}, ${TIMESTAMP}` }],
    ["no signature", { "webhook-signature": null }],
    ["an empty signature", { "webhook-signature": "" }],
    ["a signature without its version", { "webhook-signature": SIGNATURE.slice(3) }],
    ["a cut signature", { "webhook-signature": SIGNATURE.slice(0, -4) }],
    ["the version alone", { "webhook-signature": "v1," }],
    ["one that is not base64", { "webhook-signature": "v1,%%%%" }],
    ["a repeated header", { "webhook-signature": `${SIGNATURE}, ${SIGNATURE}` }],
    ["the good one behind ten others", { "webhook-signature": `${"v1,AAAA ".repeat(10)}${SIGNATURE}` }],
  ])("refuses %s", async (_name, changes) => {
    expect(await verify(changes)).toBe(false);
  });

  test("one changed byte, one more space, another encoding: all refused", async () => {
    expect(await verify({}, bytes(`${BODY} `))).toBe(false);
    expect(await verify({}, bytes(BODY.replace("2432232314", "2432232315")))).toBe(false);
    expect(await verify({}, bytes('{"test":2432232314}'))).toBe(false);
  });

  test("bytes that are not UTF-8 are signed as they are", async () => {
    const body = Uint8Array.from([0x22, 0xff, 0xc3, 0x28, 0x22]);
    const key = Buffer.from(SECRET.slice(6), "base64");
    const digest = createHmac("sha256", key).update(`${ID}.${TIMESTAMP}.`).update(body).digest("base64");
    expect(await verify({ "webhook-signature": `v1,${digest}` }, body)).toBe(true);
    expect(await verify({ "webhook-signature": `v1,${digest}` }, Uint8Array.from([0x22, 0xfe, 0xc3, 0x28, 0x22]))).toBe(
      false,
    );
  });
});

describe("verifyGithubWebhook", () => {
  /** GitHub's own example (docs.github.com, validating webhook deliveries). */
  const secret = "It's a Secret to Everybody";
  const digest = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  const signed = (changes: Record<string, string> = {}) =>
    new Headers({ "x-github-delivery": "72d3162e-cc78-11e3", "x-hub-signature-256": `sha256=${digest}`, ...changes });

  test("takes GitHub's published example, and gives the delivery's id", async () => {
    const verified = await verifyGithubWebhook(signed(), bytes("Hello, World!"), ["old secret", secret]);
    expect(verified).toEqual({ ok: true, value: { id: "72d3162e-cc78-11e3" } });
  });

  test.each<[string, Record<string, string>]>([
    ["SHA-1", { "x-hub-signature-256": "sha1=757107ea0eb2509fc211221cce984b8a37570b6d" }],
    ["no prefix", { "x-hub-signature-256": digest }],
    ["one digit changed", { "x-hub-signature-256": `sha256=${digest.replace("7", "8")}` }],
    ["a repeated header", { "x-hub-signature-256": `sha256=${digest}, sha256=${digest}` }],
    ["no delivery id", { "x-github-delivery": "" }],
    ["an odd delivery id", { "x-github-delivery": "a b" }],
  ])("refuses %s", async (_name, changes) => {
    expect((await verifyGithubWebhook(signed(changes), bytes("Hello, World!"), [secret])).ok).toBe(false);
  });

  test("refuses another body and another secret", async () => {
    expect((await verifyGithubWebhook(signed(), bytes("Hello, World?"), [secret])).ok).toBe(false);
    expect((await verifyGithubWebhook(signed(), bytes("Hello, World!"), ["another secret"])).ok).toBe(false);
  });
});
