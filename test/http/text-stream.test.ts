import { describe, expect, test } from "vitest";
import { textStream } from "../../src/http/text-stream.ts";

function source(pieces: readonly string[]) {
  const state = { made: 0, ended: false };
  async function* make(): AsyncGenerator<string> {
    try {
      for (const piece of pieces) {
        state.made += 1;
        yield piece;
      }
    } finally {
      state.ended = true;
    }
  }
  return { state, stream: textStream(make()) };
}

describe("textStream", () => {
  test("gives the pieces in order, empty ones left out", async () => {
    const { stream } = source(["a", "", "ü", "🎸"]);
    expect(await new Response(stream).text()).toBe("aü🎸");
  });

  test("makes nothing before it is read, and one piece a read", async () => {
    const { stream, state } = source(["a", "b", "c"]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.made).toBe(0);
    const reader = stream.getReader();
    await reader.read();
    expect(state.made).toBe(1);
  });

  test("a reader that goes away ends the source", async () => {
    const { stream, state } = source(["a", "b", "c"]);
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    expect(state).toEqual({ made: 1, ended: true });
  });

  test("a source that fails fails the stream", async () => {
    // biome-ignore lint/correctness/useYield: it fails before the first piece.
    async function* failing(): AsyncGenerator<string> {
      throw new Error("broke");
    }
    await expect(new Response(textStream(failing())).text()).rejects.toThrow("broke");
  });
});
