import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRunId, ownsRunId, RUN_ID_BYTES } from "../../src/http/run-id.ts";

const bytes = fc.uint8Array({ minLength: RUN_ID_BYTES, maxLength: RUN_ID_BYTES });

describe("run ids", () => {
  test("belong to the caller they were made for, and to nobody else", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), bytes, (caller, other, random) => {
        const id = createRunId(caller, random);
        expect(id).toMatch(/^run_[a-z2-7]{26}$/);
        expect(ownsRunId(caller, id)).toBe(true);
        if (other !== caller) expect(ownsRunId(other, id)).toBe(false);
      }),
    );
  });

  test("one changed character makes an id of nobody", () => {
    fc.assert(
      fc.property(
        bytes,
        fc.integer({ min: 4, max: 29 }),
        fc.constantFrom(..."abcdefgh234567Z1_"),
        (random, at, char) => {
          const id = createRunId("alice", random);
          const changed = id.slice(0, at) + char + id.slice(at + 1);
          if (changed !== id) expect(ownsRunId("alice", changed)).toBe(false);
        },
      ),
    );
  });

  test.each(["", "run_", "RUN_aaaaaaaaaaaaaaaaaaaaaaaaaa", "run_aaaaaaaaaaaaaaaaaaaaaaaaaa\n"])(
    "%j is nobody's",
    (id) => {
      expect(ownsRunId("alice", id)).toBe(false);
    },
  );
});
