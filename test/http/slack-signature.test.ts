import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isFromSlack } from "../../src/http/slack-signature.ts";

/** Slack's published vector: docs.slack.dev/authentication/verifying-requests-from-slack. */
const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const TIMESTAMP = 1531420618;
const SIGNATURE = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
const BODY =
  "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
const NOW = TIMESTAMP * 1000;

interface Parts {
  readonly timestamp?: string;
  readonly signature?: string;
  readonly body?: string;
  readonly secrets?: readonly string[];
  readonly now?: number;
}

function check(parts: Parts = {}): Promise<boolean> {
  const headers = new Headers({
    "x-slack-request-timestamp": parts.timestamp ?? String(TIMESTAMP),
    "x-slack-signature": parts.signature ?? SIGNATURE,
  });
  return isFromSlack(
    headers,
    new TextEncoder().encode(parts.body ?? BODY),
    parts.secrets ?? [SECRET],
    parts.now ?? NOW,
  );
}

function signedAt(timestamp: number): Parts {
  const code = createHmac("sha256", SECRET).update(`v0:${timestamp}:${BODY}`).digest("hex");
  return { timestamp: String(timestamp), signature: `v0=${code}` };
}

describe("Slack's signature", () => {
  it("is the one of Slack's published vector", async () => {
    expect(await check()).toBe(true);
  });

  it("is believed with any of the secrets that are live", async () => {
    expect(await check({ secrets: ["new", SECRET] })).toBe(true);
    expect(await check({ secrets: ["new"] })).toBe(false);
    expect(await check({ secrets: [] })).toBe(false);
  });

  it("H5: is good for five minutes in both directions", async () => {
    const seconds = [-300, -299, 0, 299, 300];
    for (const off of seconds) expect(await check({ ...signedAt(TIMESTAMP + off) })).toBe(true);
    for (const off of [-360, -301, 301, 360]) expect(await check({ ...signedAt(TIMESTAMP + off) })).toBe(false);
  });

  it("changes with every byte of the body", async () => {
    for (const body of [`${BODY}&`, BODY.replace("T1DC", "T2DC"), BODY.replace("%2F", "%2f"), ""]) {
      expect(await check({ body })).toBe(false);
    }
  });

  it("is over the raw bytes, also those that are no text", async () => {
    const body = Uint8Array.from([0x74, 0x3d, 0xff, 0xfe, 0x00, 0x26]);
    const code = createHmac("sha256", SECRET).update(`v0:${TIMESTAMP}:`).update(body).digest("hex");
    const headers = new Headers({ "x-slack-request-timestamp": String(TIMESTAMP), "x-slack-signature": `v0=${code}` });
    expect(await isFromSlack(headers, body, [SECRET], NOW)).toBe(true);
  });

  it.each([
    ["another version", SIGNATURE.replace("v0=", "v1=")],
    ["no version", SIGNATURE.slice(3)],
    ["empty", ""],
    ["only a version", "v0="],
    ["cut", SIGNATURE.slice(0, -1)],
    ["longer", `${SIGNATURE}0`],
    ["in capitals", SIGNATURE.toUpperCase()],
    ["twice", `${SIGNATURE}, ${SIGNATURE}`],
    ["a wrong one and the right one", `v0=${"0".repeat(64)},${SIGNATURE}`],
  ])("H5: is refused when it is %s", async (_what, signature) => {
    expect(await check({ signature })).toBe(false);
  });

  it.each(["", "x", `${TIMESTAMP}, ${TIMESTAMP}`, `${TIMESTAMP}.0`, `-${TIMESTAMP}`, `0x5b478d4a`, "1e12", " "])(
    "is refused with the timestamp %j",
    async (timestamp) => {
      expect(await check({ timestamp })).toBe(false);
    },
  );

  it("is refused when a header is missing or stands twice", async () => {
    const body = new TextEncoder().encode(BODY);
    expect(await isFromSlack(new Headers(), body, [SECRET], NOW)).toBe(false);
    const twice = new Headers({ "x-slack-request-timestamp": String(TIMESTAMP), "x-slack-signature": SIGNATURE });
    twice.append("x-slack-signature", SIGNATURE);
    expect(await isFromSlack(twice, body, [SECRET], NOW)).toBe(false);
  });
});
