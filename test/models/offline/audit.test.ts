import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CLINIC, type Found, planFor, SHOP } from "./examples.ts";

/** One part of a question that carries meaning, and what must be seen of it in any SQL that answers it. */
interface Part {
  readonly words: string;
  readonly trace: RegExp;
}

const parts = (...pairs: readonly (readonly [words: string, trace: RegExp])[]): readonly Part[] =>
  pairs.map(([words, trace]) => ({ words, trace }));

const GROUPED = /group by|partition by/;

const FIGURES = parts(
  ["how many appointments", /count\(/],
  ["number of visits", /count\(/],
  ["the average fee", /avg\(/],
  ["total fees", /sum\(/],
  ["fee totals", /sum\(/],
  ["the highest fee", /max\(|order by/],
  ["appointment counts", /count\(/],
  ["the share of appointments", /100\.0/],
  ["list the patients", /patient/],
  ["doctors", /doctor/],
  ["salaries", /salary/],
);

const GROUPS = parts(
  ["per doctor", GROUPED],
  ["per month", GROUPED],
  ["by quarter", /group by|order by/],
  ["for each department", /group by|department/],
  ["per weekday", GROUPED],
  ["per zorblax", GROUPED],
  ["per colour and year", /group by.*colou?r/],
  ["grouped by city", GROUPED],
  ["for every hospital", /hospital/],
);

const FILTERS = parts(
  ["in Ghent", /'ghent'/],
  ["by cardiologists", /'cardiologist'/],
  ["in 2023", /2023/],
  ["between January and March 2023", /2023-01-01.*2023-04-01/],
  ["above 73", /\b73\b/],
  ["without medication", /not|null/],
  ["for reptiles", /reptile/],
  ["never cancelled", /not|<>|null/],
);

const ORDERS = parts(
  ["sorted by salary", /order by/],
  ["top 7", /7/],
  ["from the youngest", /order by/],
  ["in descending order", /order by/],
);

/** Every word of it is told as left out, or the SQL has it. */
function isAccountedFor(part: Part, sql: string, unread: readonly string[]): boolean {
  const told = unread.join(" ").toLowerCase().split(" ");
  return (
    part.trace.test(sql.toLowerCase()) ||
    part.words
      .toLowerCase()
      .split(" ")
      .some((word) => told.includes(word))
  );
}

const ABSENT: Found = Object.fromEntries(
  ["zorblax", "colour", "hospital", "reptiles", "visits", "cardiologists"].map((word) => [word, []]),
);

describe("never silently wrong", () => {
  it("whatever is asked together, each part is in the SQL, told as left out, or there is no answer", () => {
    const some = (of: readonly Part[]) => fc.option(fc.constantFrom(...of), { nil: null });
    const question = fc.tuple(fc.constantFrom(...FIGURES), some(GROUPS), some(FILTERS), some(ORDERS));
    fc.assert(
      fc.property(question, (chosen) => {
        const asked = chosen.filter((part) => part !== null);
        const text = asked.map((part) => part.words).join(" ");
        const plan = planFor(CLINIC, text, ABSENT);
        if (plan.kind !== "query") return;
        const lost = asked.filter((part) => !isAccountedFor(part, plan.sql, plan.intent.unread));
        expect(
          lost.map((part) => part.words),
          `${text}\n${plan.sql}\n${plan.intent.unread.join(", ")}`,
        ).toEqual([]);
      }),
      { numRuns: 1_500 },
    );
  });

  it.each([
    ["a `per` that groups nothing", "What is the total fee per zorblax?"],
    ["a second figure that is not there", "How many doctors have a supervisor and how many do not?"],
    ["a share that is not worked out", "What is the percentage of Mondays?"],
  ])("%s is no answer", (_what, question) => {
    expect(planFor(CLINIC, question, { ...ABSENT, mondays: [] }).kind).not.toBe("query");
  });

  it.each([
    ["the second of a ranking", "What is the second highest fee?", "second"],
    ["part of a year", "Total fees in the first quarter of 2023", "quarter"],
  ])("%s is not taken for the whole", (_what, question, word) => {
    const plan = planFor(CLINIC, question);
    expect(plan.kind === "query" ? plan.intent.unread.join(" ") : word).toContain(word);
  });

  it("of what is counted each is counted once: two visits to one doctor are one doctor", () => {
    const plan = planFor(CLINIC, "Which patients have more than one doctor?");
    expect(plan.kind === "query" ? plan.sql : "").toContain("count(DISTINCT DoctorId) > 1");
  });

  it("what only narrows the rows is told with the answer", () => {
    const plan = planFor(CLINIC, "How many appointments were there with reptiles?", ABSENT);
    expect(plan.kind === "query" ? plan.intent.unread : []).toEqual(["reptiles"]);
  });

  it("a state before what is counted is told, a verb is not", () => {
    const returning = planFor(SHOP, "How many returning users are there?", { returning: [] });
    expect(returning.kind === "query" ? returning.intent.unread : ["returning"]).toEqual(["returning"]);
    const placed = planFor(SHOP, "How many orders were placed?");
    expect(placed.kind === "query" ? placed.intent.unread : null).toEqual([]);
  });

  it("figures in a unit are told in that unit", () => {
    const shown = planFor(SHOP, "What is the average length of products in minutes?");
    expect(shown.kind === "query" ? shown.sql : "").toContain("avg(length_ms) / 60000.0 AS average_length");
  });
});
