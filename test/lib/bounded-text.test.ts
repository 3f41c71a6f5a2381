import { describe, expect, it } from "vitest";
import { readBoundedText } from "../../src/lib/bounded-text.ts";

/** A body in pieces of one byte, and whether it was cancelled. */
function bodyOf(text: string) {
  const seen = { isCancelled: false };
  const bytes = [...new TextEncoder().encode(text)];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = bytes.shift();
      if (next === undefined) return controller.close();
      controller.enqueue(new Uint8Array([next]));
    },
    cancel() {
      seen.isCancelled = true;
    },
  });
  return { response: new Response(body), seen };
}

describe("a bounded text", () => {
  it("is whole up to the last byte that fits, also where a character lies across two pieces", async () => {
    expect(await readBoundedText(bodyOf("a€😀").response, 8)).toBe("a€😀");
    expect(await readBoundedText(new Response(null), 8)).toBe("");
  });

  it("is null beyond it, and the rest is not read", async () => {
    const { response, seen } = bodyOf("a€😀b");
    expect(await readBoundedText(response, 8)).toBeNull();
    expect(seen.isCancelled).toBe(true);
  });
});
