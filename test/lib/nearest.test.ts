import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, nearestNames } from "../../src/lib/nearest.ts";

const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "_"), maxLength: 8 });

describe("editDistance", () => {
  it.each([
    ["", "", 0],
    ["", "abc", 3],
    ["kitten", "sitting", 3],
    ["flaw", "lawn", 2],
    ["album", "albums", 1],
    ["ab", "ba", 2],
  ])("from %j to %j takes %s edits", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });

  it("is a distance: zero only for equal words, the same both ways, never longer by a detour", () => {
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
        expect(editDistance(a, b)).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});

describe("nearestNames", () => {
  const tables = ["Album", "Artist", "Customer", "Employee", "Invoice", "InvoiceLine", "Track"];

  it("C25: finds a slip of the keyboard whatever the case", () => {
    expect(nearestNames("cutsomer", tables, 3)).toEqual(["Customer"]);
    expect(nearestNames("ALBUMS", tables, 3)).toEqual(["Album"]);
  });

  it("a name inside another is near whatever the lengths", () => {
    expect(nearestNames("invoice_lines_of_customers", ["lines"], 3)).toEqual(["lines"]);
    expect(nearestNames("line", tables, 3)).toEqual(["InvoiceLine"]);
  });

  it("two letters inside a long name prove nothing", () => {
    expect(nearestNames("oi", ["InvoiceLine"], 3)).toEqual([]);
  });

  it("nothing near gives nothing", () => {
    expect(nearestNames("weather_station", tables, 3)).toEqual([]);
    expect(nearestNames("x", [], 3)).toEqual([]);
  });

  it("nearest first, equals by name, no more than asked for", () => {
    expect(nearestNames("track", ["trackz", "tracks", "track", "trick"], 3)).toEqual(["track", "tracks", "trackz"]);
    expect(nearestNames("abcdef", ["abcdxy", "abcdex"], 2)).toEqual(["abcdex", "abcdxy"]);
  });
});
