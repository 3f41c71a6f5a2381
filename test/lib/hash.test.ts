import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/lib/hash.ts";

describe("sha256Hex", () => {
  it("gives the published digest of the empty text and of `abc`", () => {
    expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("agrees with Web Crypto on every text, half characters too, by its UTF-8 bytes", async () => {
    const digest = async (text: string): Promise<string> =>
      Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("hex");
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary", maxLength: 200 }),
        fc.constantFrom("", "\ud800"),
        async (text, half) => {
          expect(sha256Hex(text + half)).toBe(await digest(text + half));
        },
      ),
    );
  });
});
