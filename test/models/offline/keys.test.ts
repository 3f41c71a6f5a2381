import { describe, expect, it } from "vitest";
import { keyAt } from "../../../src/models/offline/keys.ts";

const read = (text: string) => keyAt(text.split(" "));

describe("key phrases", () => {
  it("takes the longest phrase", () => {
    expect(read("more than or equal to 5")).toEqual({ key: { key: "compare", operator: ">=" }, length: 5 });
    expect(read("more than 5")).toEqual({ key: { key: "compare", operator: ">" }, length: 2 });
  });

  it.each([
    ["how many tracks", "count"],
    ["for each genre", "each"],
    ["without albums", "not"],
    ["the", null],
    ["average age", "aggregate"],
    ["in descending order of age", "order"],
    ["starts with b", "contains"],
  ])("%s", (text, key) => {
    expect(read(text)?.key.key ?? null).toBe(key);
  });

  it("`no more than` is a ceiling, no negation", () => {
    expect(read("no more than 3")?.key).toEqual({ key: "compare", operator: "<=" });
  });
});
