import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hmacSha256, isEqualText, isSignedPath, signPath, toHex } from "../../src/lib/hmac.ts";

describe("a code over bytes", () => {
  it("is HMAC-SHA256 of the parts, one after the other", async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(bytes, fc.string(), fc.uint8Array({ maxLength: 200 }), async (key, text, rest) => {
        const expected = createHmac("sha256", key).update(text.toWellFormed()).update(rest).digest("hex");
        expect(toHex(await hmacSha256(key, text.toWellFormed(), rest))).toBe(expected);
      }),
      { numRuns: 40 },
    );
  });

  it("is compared as a whole", () => {
    expect(isEqualText("abc", "abc")).toBe(true);
    for (const other of ["abd", "Abc", "ab", "abcd", ""]) expect(isEqualText("abc", other)).toBe(false);
  });
});

describe("a signed path", () => {
  const PATH = "/slack/results/run_a/r1";
  const NOW = 1_790_000_000_000;
  const check = async (path: string, address: string, secrets = ["secret"], now = NOW): Promise<boolean> =>
    isSignedPath(path, new URL(address, "https://example.com").searchParams, secrets, now);

  it("opens itself until it expires, for each secret that is live", async () => {
    const address = await signPath(PATH, "secret", NOW + 60_000);
    expect(await check(PATH, address)).toBe(true);
    expect(await check(PATH, address, ["new", "secret"])).toBe(true);
    expect(await check(PATH, address, ["secret"], NOW + 59_999)).toBe(true);
    expect(await check(PATH, address, ["secret"], NOW + 60_000)).toBe(false);
  });

  it("opens nothing else, and nothing when any part is changed", async () => {
    const address = await signPath(PATH, "secret", NOW + 60_000);
    expect(await check("/slack/results/run_a/r2", address)).toBe(false);
    expect(await check(PATH, address.replace(/expires=(\d+)/, "expires=9$1"))).toBe(false);
    expect(await check(PATH, `${address.slice(0, -1)}${address.endsWith("0") ? "1" : "0"}`)).toBe(false);
    expect(await check(PATH, address, ["other"])).toBe(false);
    expect(await check(PATH, address, [])).toBe(false);
    for (const query of ["", "?expires=x", "?expires=99999999999", "?signature="]) {
      expect(await check(PATH, PATH + query)).toBe(false);
    }
  });
});
