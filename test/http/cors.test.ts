import { describe, expect, test } from "vitest";
import { JSON_BODY_BYTES_MAX } from "../../src/http/body.ts";
import { CALLERS, createHarness } from "./harness.ts";

const ORIGIN = "https://app.example.com";
const SETTINGS = { QUERENT_CALLERS: CALLERS, QUERENT_CORS_ORIGINS: `${ORIGIN} http://localhost:3000` };
const preflight = (origin: string) => ({
  method: "OPTIONS",
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type,idempotency-key",
  },
});

describe("CORS", () => {
  test("J9: a preflight of a listed origin needs no key", async () => {
    const { request } = createHarness(SETTINGS);
    for (const origin of [ORIGIN, "http://localhost:3000"]) {
      const response = await request("/v1/runs", preflight(origin));
      expect(response.status).toBe(204);
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
      expect(response.headers.get("access-control-allow-methods")).toBe("GET,HEAD,POST");
      expect(response.headers.get("access-control-allow-headers")).toContain("authorization");
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      expect(response.headers.get("vary")).toContain("Origin");
    }
  });

  test.each(["null", "https://evil.com", `${ORIGIN}.evil.com`, "http://app.example.com", `${ORIGIN}:444`, "*"])(
    "J9: the origin %j gets no permission",
    async (origin) => {
      const { request, post } = createHarness(SETTINGS);
      const asked = await request("/v1/runs", preflight(origin));
      expect(asked.headers.get("access-control-allow-origin")).toBeNull();
      const posted = await post("/v1/runs", { question: "How many?" }, { origin });
      expect(posted.headers.get("access-control-allow-origin")).toBeNull();
    },
  );

  test("J9: errors carry the headers: 401, 404, 405, 413, 500", async () => {
    const { request, post, ask, runs } = createHarness({ ...SETTINGS, QUERENT_LOCAL: "1" });
    const id = await ask();
    runs.get(id)!.view = () => Promise.reject(new Error("x"));
    const headers = { origin: ORIGIN };
    const answers = [
      await request("/v1/runs", { headers: { ...headers, authorization: "Bearer wrong" } }),
      await request("/nowhere", { headers }),
      await request("/v1/runs", { method: "PUT", headers }),
      await post("/v1/runs", " ".repeat(JSON_BODY_BYTES_MAX + 1), headers),
      await request(`/v1/runs/${id}`, { headers }),
    ];
    expect(answers.map((response) => response.status)).toEqual([401, 404, 405, 413, 500]);
    for (const response of answers) {
      expect(response.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(response.headers.get("vary")).toContain("Origin");
    }
  });

  test("a page can read the headers that matter", async () => {
    const { post } = createHarness({ ...SETTINGS, QUERENT_LOCAL: "1" });
    const response = await post("/v1/runs", { question: "How many?" }, { origin: ORIGIN });
    const exposed = response.headers.get("access-control-expose-headers") ?? "";
    for (const name of ["location", "etag", "retry-after", "ratelimit", "querent-grounded"]) {
      expect(exposed.split(",")).toContain(name);
    }
  });

  test("without a list there is no CORS at all", async () => {
    const { request } = createHarness();
    const response = await request("/v1/runs", preflight(ORIGIN));
    expect(response.status).toBe(405);
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});
