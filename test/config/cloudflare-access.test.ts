import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";

const TEAM = "https://acme.cloudflareaccess.com";
const AUDIENCE = "0123456789abcdef".repeat(4);
const DOOR = { team: TEAM, audience: AUDIENCE, caller: "team" };
const CALLERS = JSON.stringify({ team: { keys: [], daily_usd: 3 } });

const read = (given: unknown) => readConfig({ QUERENT_CALLERS: CALLERS, QUERENT_ACCESS: given }).access;

describe("QUERENT_ACCESS", () => {
  it("names the team, the application and the caller that its people are", () => {
    const caller = { name: "team", keyHashes: [], dailyNanoUsdMax: 3_000_000_000 };
    expect(read(JSON.stringify(DOOR))).toMatchObject({ team: TEAM, audience: AUDIENCE, caller });
    expect(read({ ...DOOR, team: `${TEAM}/` })?.team).toBe(TEAM);
  });

  it.each([undefined, "", " "])("%j opens nothing", (given) => {
    expect(read(given)).toBeNull();
  });

  it.each(["http://localhost:9000", "http://127.0.0.1:1", "http://[::1]:9000"])(
    "plain http is for loopback: %s",
    (team) => {
      expect(read({ ...DOOR, team })?.team).toBe(team);
    },
  );

  it.each([
    [{ ...DOOR, caller: "nobody" }, /the caller named there is not in QUERENT_CALLERS.*"keys": \[\]/],
    [{ ...DOOR, email: "a@example.com" }, /there is no such field: "email"/],
    [{ ...DOOR, audience: "" }, /at audience: the AUD tag .* has 64 hex digits/],
    [{ ...DOOR, audience: AUDIENCE.slice(1) }, /at audience/],
    [{ ...DOOR, audience: [AUDIENCE] }, /at audience/],
    [{ ...DOOR, caller: undefined }, /at caller/],
    [{ team: TEAM }, /at audience/],
    [{ ...DOOR, team: "acme" }, /must hold origins/],
    [{ ...DOOR, team: `${TEAM}/cdn-cgi` }, /must hold origins/],
    [{ ...DOOR, team: "http://acme.cloudflareaccess.com" }, /"team" must start with https/],
    [{ ...DOOR, team: "http://localhost.example.com" }, /"team" must start with https/],
    ["{", /not valid JSON/],
    ["[]", /must be an object/],
  ])("%j stops the start, and the message says why", (given, why) => {
    const start = () => read(typeof given === "string" ? given : JSON.stringify(given));
    expect(start).toThrow(why);
    expect(start).toThrow(/^QUERENT_ACCESS/);
  });
});
