import { describe, expect, it } from "vitest";
import { type DeliveryPorts, post, retryAfterMs } from "../../src/deliver/outcome.ts";

const NOW = Date.UTC(2026, 10, 30, 12);

describe("a request out", () => {
  it("follows no redirect, has a deadline, and carries its body and headers", async () => {
    const seen: RequestInit[] = [];
    const ports: DeliveryPorts = {
      now: () => NOW,
      fetch: async (_url, init) => {
        seen.push(init);
        return new Response(null, { status: 204 });
      },
    };
    const response = await post("https://example.com/hook", { "x-test": "1" }, "{}", ports);
    expect(response?.status).toBe(204);
    expect(seen[0]).toMatchObject({ method: "POST", redirect: "manual", body: "{}", headers: { "x-test": "1" } });
    expect(seen[0]?.signal).toBeInstanceOf(AbortSignal);
  });

  it("is null when there is no answer, whatever the reason", async () => {
    const ports: DeliveryPorts = { now: () => NOW, fetch: () => Promise.reject(new Error("unreachable")) };
    expect(await post("https://example.com/", {}, "", ports)).toBeNull();
  });
});

describe("Retry-After", () => {
  const read = (value: string): number | null =>
    retryAfterMs(new Response(null, { headers: { "retry-after": value } }), NOW);

  it("is read as seconds or as a date", () => {
    expect(read("120")).toBe(120_000);
    expect(read("Mon, 30 Nov 2026 12:01:00 GMT")).toBe(60_000);
  });

  it("is nothing when it is missing, past or no time at all", () => {
    expect(retryAfterMs(new Response(), NOW)).toBeNull();
    for (const value of ["0", "-5", "soon", "Mon, 30 Nov 2026 11:59:00 GMT", "1e9"]) expect(read(value)).toBeNull();
  });

  it("is a day at most", () => {
    expect(read("999999999")).toBe(86_400_000);
  });
});
