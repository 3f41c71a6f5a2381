/** Sign-in by Cloudflare Access, over the whole app: what lets in, what does not, and from where. */
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AUDIENCE, EMAIL, encode, type FakeAccess, startFakeAccess } from "../fakes/fake-access.ts";
import { NOW } from "../fakes/fake-run-object.ts";
import { CALLERS, createHarness, type Harness, KEY, readProblem } from "./harness.ts";

const HEADER = "cf-access-jwt-assertion";
const OWN = { "sec-fetch-site": "same-origin", origin: "http://localhost" };
const HOUR_S = 3_600;
const NOW_S = NOW / 1000;

let team: FakeAccess;
let other: FakeAccess;
beforeAll(async () => {
  [team, other] = await Promise.all([startFakeAccess(), startFakeAccess()]);
});
beforeEach(() => team.serve(null));
afterAll(() => Promise.all([team.stop(), other.stop()]));

function createDoor(more: Readonly<Record<string, unknown>> = {}): Harness {
  return createHarness({
    QUERENT_CALLERS: JSON.stringify({ ...JSON.parse(CALLERS), team: { keys: [] } }),
    QUERENT_ACCESS: JSON.stringify({ team: team.url, audience: AUDIENCE, caller: "team" }),
    ...more,
  });
}

const read = (door: Harness, token: string, headers: object = {}): Promise<Response> =>
  door.request("/v1/caller", { headers: { [HEADER]: token, ...headers } });

const nameOf = async (response: Response): Promise<string> => ((await response.json()) as { name: string }).name;

describe("a token", () => {
  const GOOD: readonly (readonly [string, object, object])[] = [
    ["with the audience in a list", {}, {}],
    ["with the audience as text", { aud: AUDIENCE }, {}],
    ["for several applications, this among them", { aud: ["0".repeat(64), AUDIENCE] }, {}],
    ["without a type", {}, { typ: undefined }],
    ["without nbf", { nbf: undefined }, {}],
    ["of a service", { email: undefined, common_name: "x.access", sub: "" }, {}],
    ["that has ended just now by another clock", { exp: NOW_S - 20 }, {}],
    ["that begins in a moment by another clock", { nbf: NOW_S + 20, iat: NOW_S + 20 }, {}],
  ];
  test.each(GOOD)("%s lets its caller in", async (_, claims, header) => {
    const response = await read(createDoor(), await team.token(NOW, claims, header));
    expect(response.status).toBe(200);
    expect(await nameOf(response)).toBe("team");
  });

  const BAD: readonly (readonly [string, (team: FakeAccess) => Promise<string> | string])[] = [
    ["that has expired", () => team.token(NOW, { exp: NOW_S - 31 })],
    ["without an end", () => team.token(NOW, { exp: undefined })],
    ["whose end is a text", () => team.token(NOW, { exp: String(NOW_S + HOUR_S) })],
    ["whose end is no number at all", () => team.token(NOW, { exp: null })],
    ["that is not valid yet", () => team.token(NOW, { nbf: NOW_S + 60 })],
    ["whose begin is a text", () => team.token(NOW, { nbf: "0" })],
    ["for another application, in a list", () => team.token(NOW, { aud: ["0".repeat(64)] })],
    ["for another application, as text", () => team.token(NOW, { aud: "0".repeat(64) })],
    ["for a part of the audience", () => team.token(NOW, { aud: AUDIENCE.slice(0, 32) })],
    ["for nothing", () => team.token(NOW, { aud: [] })],
    ["without an audience", () => team.token(NOW, { aud: undefined })],
    ["of another issuer", () => team.token(NOW, { iss: "https://evil.cloudflareaccess.com" })],
    ["of an issuer with a slash more", () => team.token(NOW, { iss: `${team.url}/` })],
    ["without an issuer", () => team.token(NOW, { iss: undefined })],
    ["of another team, with the id of our key", () => other.token(NOW, { iss: team.url })],
    ["signed with a key that nobody knows", () => team.token(NOW, {}, { kid: "nobody's" })],
    ["without the id of a key", () => team.token(NOW, {}, { kid: undefined })],
    ["whose key has a number for an id", () => team.token(NOW, {}, { kid: 1 })],
    ["that says RS512", () => team.token(NOW, {}, { alg: "RS512" })],
    ["that says ES256", () => team.token(NOW, {}, { alg: "ES256" })],
    ["of another type", () => team.token(NOW, {}, { typ: "at+jwt" })],
    ["with an extension that must be understood", () => team.token(NOW, {}, { crit: ["exp"] })],
    ["with no signature, alg none", async () => `${encode({ alg: "none", kid: "key-1" })}.${await claimsOf(team)}.`],
    ["with a signature of old, alg none", async () => replaceHeader(await team.token(NOW), { alg: "none" })],
    ["with HS256 and the public key as secret", () => hs256(team)],
    ["whose claims were changed", async () => changeClaims(await team.token(NOW))],
    ["whose signature was changed", async () => (await team.token(NOW)).replace(/.{8}$/, "AAAAAAAA")],
    ["whose signature was cut off", async () => (await team.token(NOW)).replace(/\.[^.]+$/, ".")],
    ["that is garbage", () => "garbage"],
    ["that is garbage in three parts", () => "a.b.c"],
    ["whose header is null", async () => (await team.token(NOW)).replace(/^[^.]+/, encode(null))],
    ["with four parts", async () => `${await team.token(NOW)}.x`],
    ["that is empty", () => ""],
    ["that is too long", () => team.token(NOW, { groups: "x".repeat(20_000) })],
    ["twice, in two headers", async () => `${await team.token(NOW)}, ${await team.token(NOW)}`],
    ["after the word Bearer", async () => `Bearer ${await team.token(NOW)}`],
  ];
  test.each(BAD)("%s is 401, and the answer says what to do", async (_, make) => {
    const door = createDoor();
    const token = await make(team);
    const response = await read(door, token);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="querent", error="invalid_token"');
    const problem = await readProblem(response);
    expect(problem.code).toBe("access_refused");
    expect(problem.detail).toContain("Reload the page to sign in again");
    expect(JSON.stringify([problem, door.logs])).not.toContain(EMAIL);
    expect(door.logs).toEqual([]);
  });

  test("that is wrong on its face asks for no keys", async () => {
    const before = team.fetches();
    const good = await team.token(NOW);
    for (const token of ["x", "a.b.c", replaceHeader(good, { alg: "none" }), await hs256(team), `${good},${good}`]) {
      expect((await read(createDoor(), token)).status).toBe(401);
    }
    expect(team.fetches()).toBe(before);
  });

  test("is not looked for in the cookie", async () => {
    const response = await createDoor().request("/v1/caller", {
      headers: { cookie: `CF_Authorization=${await team.token(NOW)}` },
    });
    expect((await readProblem(response)).code).toBe("unauthorized");
  });

  test("lets nobody in where QUERENT_ACCESS is not set", async () => {
    const door = createHarness({ QUERENT_CALLERS: CALLERS });
    expect((await readProblem(await read(door, await team.token(NOW)))).code).toBe("unauthorized");
  });

  test("a good one that runs out lets in no more", async () => {
    const door = createDoor();
    const token = await team.token(NOW);
    expect((await read(door, token)).status).toBe(200);
    Object.assign(door.ports, { now: () => NOW + (HOUR_S + 31) * 1000 });
    expect((await read(door, token)).status).toBe(401);
  });

  test("on the developer's own machine it goes before the local caller, and without it that one asks", async () => {
    const door = createDoor({ QUERENT_LOCAL: "1" });
    expect(await nameOf(await read(door, await team.token(NOW)))).toBe("team");
    expect((await read(door, "x")).status).toBe(401);
    expect(await nameOf(await door.request("/v1/caller"))).toBe("local");
  });
});

describe("an API key", () => {
  test("wins over a token, good or bad", async () => {
    const authorization = `Bearer ${KEY}`;
    for (const token of [await team.token(NOW), "x"]) {
      expect(await nameOf(await read(createDoor(), token, { authorization }))).toBe("alice");
    }
  });

  test("that is wrong is refused, whatever the token", async () => {
    for (const authorization of ["Bearer wrong", "Basic x", ""]) {
      const response = await read(createDoor(), await team.token(NOW), { authorization });
      expect((await readProblem(response)).code).toBe("unauthorized");
    }
  });

  test("may come from any origin, beside a token too", async () => {
    const headers = {
      authorization: `Bearer ${KEY}`,
      [HEADER]: "x",
      "sec-fetch-site": "cross-site",
      origin: "https://a.com",
    };
    expect((await createDoor().post("/v1/runs", { question: "How many?" }, headers)).status).toBe(202);
  });
});

describe("the team's keys", () => {
  test("that cannot be had are 503 in plain words, with a time to come back, and never an open door", async () => {
    const door = createDoor();
    for (const status of [500, 404, 302, 204]) {
      team.serve((response) => response.writeHead(status, { location: other.url }).end());
      const response = await read(door, await team.token(NOW));
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("10");
      const problem = await readProblem(response);
      expect(problem.code).toBe("unavailable");
      expect(problem.detail).toContain("could not be fetched");
      expect(door.logs.at(-1)).toEqual({
        level: "error",
        event: "access_keys_unavailable",
        reason: `status ${status}`,
      });
    }
    team.serve(null);
    expect((await read(door, await team.token(NOW))).status).toBe(200);
  });

  test("a new one is known at once, the old one as long as it is served", async () => {
    const door = createDoor();
    const old = await team.token(NOW);
    expect((await read(door, old)).status).toBe(200);
    await team.rotate();
    Object.assign(door.ports, { now: () => NOW + 60_000 });
    expect((await read(door, await team.token(NOW))).status).toBe(200);
    expect((await read(door, old)).status).toBe(200);
  });
});

describe("where a request comes from", () => {
  const ask = async (headers: Record<string, string>, more: object = {}, url = "/v1/runs"): Promise<Response> =>
    createDoor(more as Record<string, unknown>).post(
      url,
      { question: "How many?" },
      {
        [HEADER]: await team.token(NOW),
        ...headers,
      },
    );

  test.each([
    ["from the page", OWN],
    ["from the page, in a browser that names the site alone", { "sec-fetch-site": "same-origin" }],
    ["from the page, in a browser that names the origin alone", { origin: "http://localhost" }],
  ])("a POST %s is let in", async (_, headers) => {
    expect((await ask(headers)).status).toBe(202);
  });

  const FOREIGN: readonly (readonly [string, Record<string, string>])[] = [
    ["from another site", { "sec-fetch-site": "cross-site", origin: "https://evil.com" }],
    ["from another site that hides its origin", { "sec-fetch-site": "cross-site" }],
    ["from a neighbour of the same site", { "sec-fetch-site": "same-site", origin: "http://a.localhost" }],
    ["from a sandboxed frame", { origin: "null" }],
    ["from another port", { origin: "http://localhost:3000" }],
    ["from the same name over another scheme", { origin: "https://localhost" }],
    ["from a longer name", { origin: "http://localhost.evil.com" }],
    ["whose two headers differ", { "sec-fetch-site": "same-origin", origin: "https://evil.com" }],
    ["whose two headers differ the other way round", { "sec-fetch-site": "cross-site", origin: "http://localhost" }],
    ["from no page at all", { "sec-fetch-site": "none" }],
    ["that says nothing of where it is from", {}],
    ["with an empty origin", { origin: "" }],
  ];
  test.each(FOREIGN)("a POST %s is 403 and starts nothing", async (_, headers) => {
    const door = createDoor();
    const send = { [HEADER]: await team.token(NOW), ...headers };
    for (const path of ["/v1/runs", "/v1/estimate", "/v1/runs/x/cancel", "/v1/runs/x/resend"]) {
      const response = await door.post(path, { question: "How many?" }, send);
      expect(response.status).toBe(403);
      expect((await readProblem(response)).code).toBe("cross_site");
    }
    // As a form would send it, without a preflight.
    const form = await door.request("/v1/runs/x/cancel", { method: "POST", headers: send });
    expect(form.status).toBe(403);
    expect(door.runs.size).toBe(0);
  });

  test.each([
    ["typed into the address bar", { "sec-fetch-site": "none" }],
    ["of the page", { "sec-fetch-site": "same-origin" }],
    ["by a link or a picture of the same site", { "sec-fetch-site": "same-site" }],
    ["by a link of another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }],
    ["of a program", {}],
  ])("a GET %s changes nothing and is let in", async (_, headers) => {
    const response = await read(createDoor(), await team.token(NOW), headers);
    expect(response.status).toBe(200);
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test.each(["https://evil.com", "https://app.example.com", "null"])(
    "J9: a script of %s reads nothing and starts nothing by a person's cookie, listed for CORS or not",
    async (origin) => {
      for (const list of ["https://app.example.com", ""]) {
        const more = { QUERENT_CORS_ORIGINS: list };
        const headers = { origin, "sec-fetch-site": "cross-site" };
        const got = await read(createDoor(more), await team.token(NOW), headers);
        const posted = await ask(headers, more);
        for (const response of [got, posted]) {
          expect(response.status).toBe(403);
          expect(response.headers.get("access-control-allow-credentials")).toBeNull();
          expect((await readProblem(response)).code).toBe("cross_site");
        }
      }
    },
  );

  test("J9: a preflight lets no page send a token of its own", async () => {
    const door = createDoor({ QUERENT_CORS_ORIGINS: "https://app.example.com" });
    const response = await door.request("/v1/runs", {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example.com",
        "access-control-request-method": "POST",
        "access-control-request-headers": HEADER,
      },
    });
    expect(response.headers.get("access-control-allow-headers")).not.toContain(HEADER);
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

test("nothing of a token reaches a log: not when it is refused, not when a fault of ours comes after it", async () => {
  const door = createDoor();
  const token = await team.token(NOW);
  door.bindings.CALLERS.get(door.bindings.CALLERS.idFromName("team")).usage = () => Promise.reject(new Error(token));
  expect((await read(door, token)).status).toBe(500);
  team.serve((response) => response.writeHead(500).end());
  const shut = createDoor();
  await read(shut, token);
  const logs = JSON.stringify([door.logs, shut.logs]);
  expect(logs).toContain("access_keys_unavailable");
  for (const part of [...token.split("."), EMAIL]) expect(logs).not.toContain(part);
});

async function claimsOf(from: FakeAccess): Promise<string> {
  return (await from.token(NOW)).split(".")[1] ?? "";
}

function replaceHeader(token: string, header: object): string {
  return token.replace(/^[^.]+/, encode({ typ: "JWT", kid: "key-1", ...header }));
}

/** The attack on libraries that take the header's word for how a key is meant. */
async function hs256(from: FakeAccess): Promise<string> {
  const jwk = from.publicJwk();
  const text = `${encode({ alg: "HS256", typ: "JWT", kid: jwk.kid })}.${await claimsOf(from)}`;
  return `${text}.${createHmac("sha256", JSON.stringify(jwk)).update(text).digest("base64url")}`;
}

function changeClaims(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as object;
  return token.replace(/\.[^.]+\./, `.${encode({ ...claims, email: "root@example.com" })}.`);
}
