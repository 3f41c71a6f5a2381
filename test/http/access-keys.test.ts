import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { findAccessKey } from "../../src/http/access-keys.ts";
import type { LogEntry } from "../../src/http/context.ts";
import { type FakeAccess, startFakeAccess } from "../fakes/fake-access.ts";

const HOUR_MS = 3_600_000;
let team: FakeAccess;
beforeAll(async () => {
  team = await startFakeAccess();
});
afterEach(() => {
  team.serve(null);
  vi.restoreAllMocks();
});
afterAll(() => team.stop());

/** A door that knows no key yet, and a clock that stands still. */
function createDoor() {
  const door = { team: team.url };
  const logs: LogEntry[] = [];
  let now = 0;
  const before = team.fetches();
  return {
    find: (kid: string) => findAccessKey(door, kid, { now: () => now, log: (entry) => logs.push(entry) }),
    pass(ms: number) {
      now += ms;
    },
    logs,
    fetches: () => team.fetches() - before,
  };
}

describe("the keys of a team", () => {
  test("are fetched once an hour, and hold nothing but what verifying takes", async () => {
    const door = createDoor();
    const found = await door.find("key-1");
    expect(found).toEqual({
      kind: "found",
      key: { kid: "key-1", kty: "RSA", alg: "RS256", n: team.publicJwk().n, e: "AQAB" },
    });
    door.pass(HOUR_MS - 1);
    await door.find("key-1");
    expect(door.fetches()).toBe(1);
    door.pass(1);
    await door.find("key-1");
    expect(door.fetches()).toBe(2);
  });

  test("a flood of made-up ids makes one fetch in ten seconds", async () => {
    const door = createDoor();
    await door.find("key-1");
    for (let n = 0; n < 50; n += 1) expect(await door.find(`made-up-${n}`)).toEqual({ kind: "unknown" });
    expect(door.fetches()).toBe(1);
    door.pass(10_000);
    for (let n = 0; n < 50; n += 1) expect(await door.find(`made-up-${n}`)).toEqual({ kind: "unknown" });
    expect(door.fetches()).toBe(2);
  });

  test("many who come at once to an isolate without keys make a bounded number of fetches", async () => {
    const door = createDoor();
    const replies = await Promise.all(Array.from({ length: 40 }, () => door.find("key-1")));
    expect(door.fetches()).toBe(16);
    expect(new Set(replies.map((reply) => reply.kind))).toEqual(new Set(["found", "unavailable"]));
    expect((await door.find("key-1")).kind).toBe("found");
  });

  test("a server that is down is asked a bounded number of times, and again after a pause", async () => {
    const door = createDoor();
    team.serve((response) => response.writeHead(500).end());
    for (let n = 0; n < 40; n += 1) expect(await door.find("key-1")).toEqual({ kind: "unavailable" });
    expect(door.fetches()).toBe(16);
    team.serve(null);
    door.pass(10_000);
    expect((await door.find("key-1")).kind).toBe("found");
  });

  test("keys that are an hour old are not used while their server is down; younger ones are", async () => {
    const door = createDoor();
    await door.find("key-1");
    team.serve((response) => response.destroy());
    door.pass(HOUR_MS - 1);
    expect((await door.find("key-1")).kind).toBe("found");
    expect(await door.find("new")).toEqual({ kind: "unavailable" });
    door.pass(1);
    expect(await door.find("key-1")).toEqual({ kind: "unavailable" });
    expect(door.logs.at(-1)).toEqual({ level: "error", event: "access_keys_unavailable", reason: "no answer" });
  });

  test("a key that is no longer served is forgotten", async () => {
    const door = createDoor();
    await door.find("key-1");
    const other = { ...team.publicJwk(), kid: "other" };
    team.serve((response) => response.end(JSON.stringify({ keys: [other] })));
    door.pass(HOUR_MS);
    expect(await door.find("key-1")).toEqual({ kind: "unknown" });
    expect((await door.find("other")).kind).toBe("found");
  });

  test.each([
    ["not JSON", "<html>", "no keys in it"],
    ["no list", '{"keys":{}}', "no keys in it"],
    ["an empty list", '{"keys":[]}', "no keys in it"],
    ["a secret for a key", '{"keys":[{"kid":"key-1","kty":"oct","alg":"HS256","k":"AAAA"}]}', "no keys in it"],
    [
      "a key of another algorithm",
      '{"keys":[{"kid":"key-1","kty":"RSA","alg":"RS512","n":"AA","e":"AQAB"}]}',
      "no keys in it",
    ],
    ["a key of another kind", '{"keys":[{"kid":"key-1","kty":"EC","n":"AA","e":"AQAB"}]}', "no keys in it"],
    ["nothing", "", "no keys in it"],
    ["200 kB", JSON.stringify({ keys: [], more: "x".repeat(200_000) }), "too long"],
  ])("an answer that is %s has no keys", async (_, body, reason) => {
    const door = createDoor();
    team.serve((response) => response.end(body));
    expect(await door.find("key-1")).toEqual({ kind: "unavailable" });
    expect(door.logs).toEqual([{ level: "error", event: "access_keys_unavailable", reason }]);
  });

  test("a redirect is not followed", async () => {
    const door = createDoor();
    team.serve((response) => response.writeHead(302, { location: "/cdn-cgi/access/certs" }).end());
    expect(await door.find("key-1")).toEqual({ kind: "unavailable" });
    expect(door.fetches()).toBe(1);
  });

  test("an answer that never ends is given up after five seconds", async () => {
    const real = AbortSignal.timeout.bind(AbortSignal);
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => real(1));
    const door = createDoor();
    team.serve((response) => response.writeHead(200).write("{"));
    expect(await door.find("key-1")).toEqual({ kind: "unavailable" });
    expect(timeout).toHaveBeenCalledWith(5_000);
  });
});
