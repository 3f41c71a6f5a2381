import { describe, expect, it } from "vitest";
import { toPlural, toSingular } from "../../../src/models/offline/plurals.ts";

const PAIRS =
  "track:tracks city:cities address:addresses box:boxes branch:branches dish:dishes hero:heroes status:statuses bonus:bonuses " +
  "course:courses house:houses case:cases database:databases employee:employees day:days area:areas photo:photos " +
  "person:people man:men child:children index:indices analysis:analyses movie:movies shoe:shoes " +
  "series:series species:species news:news price:prices size:sizes invoice:invoices";

describe("nouns", () => {
  it.each(PAIRS.split(" ").map((pair) => pair.split(":")))("%s, %s", (one = "", many = "") => {
    expect(toSingular(many)).toBe(one);
    expect(toSingular(one)).toBe(one);
    if (one !== "hero") expect(toPlural(one)).toBe(many);
  });
});
