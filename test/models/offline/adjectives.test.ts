import { describe, expect, it } from "vitest";
import { adjectiveOf, oppositeOf } from "../../../src/models/offline/adjectives.ts";

describe("adjectives", () => {
  it("knows all three forms of a word, and which is which", () => {
    expect(adjectiveOf("old")?.degree).toBe("plain");
    expect(adjectiveOf("older")?.degree).toBe("comparative");
    expect(adjectiveOf("oldest")?.degree).toBe("superlative");
    expect(adjectiveOf("table")).toBeNull();
  });

  it("reads age upwards and birth downwards", () => {
    const readings = adjectiveOf("oldest")?.adjective.readings ?? [];
    expect(readings.find((reading) => reading.attribute === "age")?.high).toBe(true);
    expect(readings.find((reading) => reading.attribute === "birth")?.high).toBe(false);
  });

  it("turns every reading around for `least`", () => {
    const expensive = adjectiveOf("expensive")?.adjective;
    if (expensive === undefined) throw new Error("expensive is unknown");
    const opposite = oppositeOf(expensive);
    expect(opposite.high).toBe(false);
    expect(opposite.readings.every((reading) => !reading.high)).toBe(true);
    expect(oppositeOf(opposite).readings).toEqual(expensive.readings);
  });
});
