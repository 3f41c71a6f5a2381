import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { renderKey, toApiKey } from "../../src/cli/key.ts";
import { readConfig } from "../../src/config.ts";
import { findCaller } from "../../src/http/auth.ts";

const RANDOM = Uint8Array.from({ length: 32 }, (_, index) => 255 - index);

describe("npm run key", () => {
  test("the printed entry lets the printed key in", async () => {
    const rendered = renderKey(["analytics", "--json"], RANDOM);
    const { key, entry } = JSON.parse(rendered.ok ? rendered.value : "{}") as { key: string; entry: object };
    const { callers } = readConfig({ QUERENT_CALLERS: JSON.stringify(entry) });
    expect((await findCaller(key, callers))?.name).toBe("analytics");
    expect(await findCaller(`${key}x`, callers)).toBeNull();
  });

  test("a key has 256 bits and is kept as its SHA-256", () => {
    const { key, hash } = toApiKey(RANDOM);
    expect(key).toMatch(/^qk_[A-Za-z0-9_-]{43}$/);
    expect(hash).toBe(`sha256:${createHash("sha256").update(key).digest("hex")}`);
    expect(toApiKey(RANDOM.map((byte) => byte ^ 1)).key).not.toBe(key);
  });

  test("the text shows the key exactly once, and its hash in an entry to paste", () => {
    const rendered = renderKey(["analytics"], RANDOM);
    const { key, hash } = toApiKey(RANDOM);
    const text = rendered.ok ? rendered.value : "";
    expect(text.split(key)).toHaveLength(2);
    expect(text).toContain(`{"analytics":{"keys":["${hash}"]}}`);
  });

  test("--help shows examples", () => {
    expect(renderKey(["--help"], RANDOM)).toMatchObject({
      ok: true,
      value: expect.stringContaining("npm run key -- analytics"),
    });
  });

  test.each([[[]], [["a b"]], [["a", "b"]], [["--jsn", "a"]], [["local"]], [["slack:app"]]])(
    "%j is a wrong call",
    (argv) => {
      expect(renderKey(argv, RANDOM).ok).toBe(false);
    },
  );
});
