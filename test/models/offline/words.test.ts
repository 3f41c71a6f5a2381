import { describe, expect, it } from "vitest";
import { lemmaOf, likeness, pluralName, readableName, stemOf, wordsOfName } from "../../../src/models/offline/words.ts";

describe("words", () => {
  it.each([
    ["BillingCountry", ["billing", "country"]],
    ["billing_country", ["billing", "country"]],
    ["Order Details", ["order", "detail"]],
    ["HTTPServer2", ["http", "server2"]],
    ["LName", ["l", "name"]],
    ["fname", ["first", "name"]],
    ["_city_id", ["city", "id"]],
  ])("%s is split into words", (name, words) => {
    expect(wordsOfName(name)).toEqual(words);
  });

  it("takes a compound apart when the schema itself uses both halves", () => {
    const dictionary = new Set(["country", "language"]);
    expect(wordsOfName("countrylanguage", dictionary)).toEqual(["country", "language"]);
    expect(wordsOfName("countrylanguage")).toEqual(["countrylanguage"]);
  });

  it("singulars and roots", () => {
    expect(["genres", "cities", "addresses", "status", "men"].map(lemmaOf)).toEqual([
      "genre",
      "city",
      "address",
      "status",
      "man",
    ]);
    expect(new Set(["enrolled", "enrolment", "enrollments"].map(stemOf)).size).toBe(1);
    expect(stemOf("evaluated")).toBe(stemOf("evaluations"));
  });

  it("likeness is full for equals, less for a root or a synonym, none for strangers, and goes both ways", () => {
    expect(likeness("genre", "genre")).toBe(1);
    expect(likeness("hired", "hire")).toBe(0.9);
    expect(likeness("duration", "millisecond")).toBe(0.75);
    expect(likeness("millisecond", "duration")).toBe(0.75);
    expect(likeness("genre", "planet")).toBe(0);
  });

  it("names for people", () => {
    expect(readableName("MediaType")).toBe("media type");
    expect([pluralName("MediaType"), pluralName("MediaType", 1), pluralName("city")]).toEqual([
      "media types",
      "media type",
      "cities",
    ]);
  });
});
