import { describe, expect, test } from "vitest";
import { parseCallbackUrl } from "../../src/config/callback-url.ts";
import { createHarness, readProblem } from "../http/harness.ts";

const ANY = { origins: ["*"], ownHost: "querent.example.net" };

describe("parseCallbackUrl", () => {
  test.each([
    ["https://example.com/hook", "https://example.com/hook"],
    ["https://example.com:443/hook?a=b", "https://example.com/hook?a=b"],
    ["HTTPS://Example.COM", "https://example.com/"],
    ["https://bücher.example.org/", "https://xn--bcher-kva.example.org/"],
    ["https://10.example.com/", "https://10.example.com/"],
  ])("takes %s", (text, href) => {
    expect(parseCallbackUrl(text, ANY)).toEqual({ ok: true, value: href });
  });

  test.each([
    "https://[::ffff:127.0.0.1]/",
    "https://[::1]/",
    "http://[::1]/",
    "https://[fe80::1%25eth0]/",
    "http://2130706433/",
    "https://2130706433/",
    "http://0x7f.1/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://１２７.0.0.1/",
    "https://127。0。0。1/",
    "https://169.254.169.254/",
    "http://169.254.169.254/",
    "https://8.8.8.8/",
    "https://8.8.8.8./",
    "https://user:p@host/",
    "https://user@example.com/",
    "https://:@example.com:443@evil.com/",
    "http://localhost.",
    "https://localhost/",
    "https://localhost./",
    "https://LOCALHOST/",
    "https://a.localhost/",
    "https://printer.local/",
    "https://db.internal/",
    "https://db.corp.internal./",
    "https://metadata.google.internal/",
    "https://intranet/",
    "https://example.com./",
    "https://example.com:22/",
    "https://example.com:8443/",
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/plain,x",
    "//example.com/",
    "example.com",
    "",
    "https://",
    "https://exam ple.com/",
    "https://example.com\\@evil.com/",
    "https://example.com/\u0000",
    "https://example.com/\r\nx: y",
    "https://example.com/#fragment",
    "https://querent.example.net/v1/runs",
    "https://QUERENT.example.net/",
    `https://example.com/${"a".repeat(2_000)}`,
  ])("I5: refuses %j", (text) => {
    const parsed = parseCallbackUrl(text, ANY);
    expect(parsed.ok ? parsed.value : null).toBeNull();
    expect(parsed.ok ? "" : parsed.error).toMatch(/\.$/);
  });

  test("I7: with a list, a name outside it is refused, however public", () => {
    const rules = { origins: ["https://hooks.example.com"], ownHost: "x" };
    expect(parseCallbackUrl("https://hooks.example.com/a", rules).ok).toBe(true);
    expect(parseCallbackUrl("https://other.example.com/a", rules).ok).toBe(false);
    expect(parseCallbackUrl("https://hooks.example.com:8443/a", rules).ok).toBe(false);
    expect(parseCallbackUrl("https://hooks.example.com.evil.com/a", rules).ok).toBe(false);
  });

  test("plain http, ports and loopback are taken only where the list names them", () => {
    const rules = { origins: ["http://127.0.0.1:9000", "*"], ownHost: "127.0.0.1" };
    expect(parseCallbackUrl("http://127.0.0.1:9000/hook", rules).ok).toBe(true);
    expect(parseCallbackUrl("http://user:p@127.0.0.1:9000/hook", rules).ok).toBe(false);
    expect(parseCallbackUrl("http://127.0.0.1:9001/hook", rules).ok).toBe(false);
    expect(parseCallbackUrl("https://127.0.0.1:9000/hook", rules).ok).toBe(false);
  });

  test("without a list nothing is called back", () => {
    expect(parseCallbackUrl("https://example.com/", { origins: [], ownHost: "x" }).ok).toBe(false);
  });
});

describe("callback_url of a question", () => {
  const signing = { WEBHOOK_SIGNING_SECRET: `whsec_${btoa("x".repeat(32))}` };

  test("is handed to the run when it is allowed, and is 400 with a pointer when not", async () => {
    const settings = { QUERENT_LOCAL: "1", CALLBACK_ORIGINS: "https://hooks.example.com", ...signing };
    const { post, runs } = createHarness(settings);
    const taken = await post("/v1/runs", { question: "How many?", callback_url: "https://hooks.example.com/a" });
    expect(taken.status).toBe(202);
    expect([...runs.values()][0]?.started?.callbackUrl).toBe("https://hooks.example.com/a");
    const refused = await post("/v1/runs", { question: "How many?", callback_url: "https://10.0.0.1/a" });
    expect(refused.status).toBe(400);
    expect((await readProblem(refused)).errors).toMatchObject([{ pointer: "#/callback_url" }]);
  });

  test("is refused while nothing would sign it", async () => {
    const { post } = createHarness({ QUERENT_LOCAL: "1", CALLBACK_ORIGINS: "*" });
    const response = await post("/v1/runs", { question: "How many?", callback_url: "https://example.com/a" });
    expect(response.status).toBe(400);
  });
});
