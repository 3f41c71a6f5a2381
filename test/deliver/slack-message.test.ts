import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OUTCOMES, STOP_REASONS } from "../../src/agent/state.ts";
import type { PublicRun } from "../../src/agent/view.ts";
import type { SlackForms, SlackMessage } from "../../src/deliver/slack-blocks.ts";
import { type SlackReport, toFinishedForms, toNoticeForms, toRowsForms } from "../../src/deliver/slack-message.ts";
import type { ShownRows } from "../../src/deliver/slack-table.ts";
import { checkMessage, readMarkup } from "../fakes/slack-rules.ts";
import { publicRun, query } from "./public-run.ts";

const SHOWN: ShownRows = {
  ref: "r1",
  columns: ["Country", "spent"],
  rows: [
    ["USA", 523.06],
    ["Canada", 303.96],
  ],
  storedRows: 2,
  totalRows: 2,
  truncated: false,
};
const MANY: ShownRows = {
  ...SHOWN,
  rows: Array.from({ length: 99 }, (_, index) => [`Country ${index}`, index]),
  storedRows: 275,
  totalRows: 275,
};
const LINK = "https://querent.example.com/slack/results/run_a/r1?expires=1&signature=2";

function forms(run: Partial<PublicRun> = {}, parts: Partial<SlackReport> = {}): SlackForms {
  return toFinishedForms({ run: publicRun(run), shown: SHOWN, visibility: "ephemeral", resultsUrl: LINK, ...parts });
}

/** All texts of the blocks, one a line; tables and buttons in brackets. */
function read({ blocks }: SlackMessage): string {
  return blocks
    .map((block) => {
      if (block.type === "section") return block.text.text;
      if (block.type === "context") return block.elements.map((element) => element.text).join("\n");
      if (block.type === "table") return `[table of ${block.rows.length - 1}]`;
      return block.elements.map((element) => `[${element.text.text}]`).join(" ");
    })
    .join("\n");
}

function stopped(parts: Partial<PublicRun> = {}): Partial<PublicRun> {
  const message = "Stopped after 8 of 8 tool calls without a final answer.";
  const links = { ...publicRun().links, continue: "/v1/runs/x/continue" };
  return { outcome: "stopped", failed: true, stop_reason: "max_hops", answer: null, message, links, ...parts };
}

describe("the final message of a run", () => {
  it("answered: the answer, the rows, the receipt, a button", () => {
    expect(read(forms().rich)).toBe(
      [
        "*Question:* Which country's customers have spent the most?",
        "Customers from the USA have spent the most: $523.06.",
        "[table of 2]",
        "```SELECT Country, sum(Total) AS spent FROM Invoice GROUP BY Country```",
        "1 query · 412 rows read · $0.0123 · 3.4 s · 2 steps",
        "[Post to channel]",
      ].join("\n"),
    );
  });

  it("says of calls whose bill never came that they cost that much at the most", () => {
    const usage = { ...publicRun().usage, unbilled_usd: 0.01 };
    expect(read(forms({ usage }).rich)).toContain("· up to $0.0123 ·");
  });

  it("A29: says when an answer rests on no query", () => {
    const run = { n_queries: 0, grounded: false, receipt: { ...publicRun().receipt, queries: [], results: [] } };
    const warnings = ["Answered without querying the database."];
    const { rich, plain } = forms({ ...run, warnings }, { shown: null });
    expect(read(rich).match(/Answered without querying the database\./g)).toHaveLength(1);
    expect(read(rich)).toContain("\n0 queries · ");
    expect(plain.text).toContain("Answered without querying the database.");
    expect(read(forms(run, { shown: null }).rich)).toContain("Answered without querying the database.");
  });

  it("A13, G11: stopped: one clear message that tells the true count, and how to go on", () => {
    expect(read(forms(stopped(), { shown: null }).rich)).toBe(
      [
        "*Question:* Which country's customers have spent the most?",
        "*No final answer.* Stopped after 8 of 8 tool calls without a final answer.",
        "```SELECT Country, sum(Total) AS spent FROM Invoice GROUP BY Country```",
        "1 query · 412 rows read · $0.0123 · 3.4 s · 2 steps",
        "[Continue for $0.10 more]",
      ].join("\n"),
    );
  });

  it("stopped with something found: tells it, marked as such", () => {
    const text = read(forms(stopped({ partial_answer: "USA seems to lead." })).rich);
    expect(text).toContain("*What was found until then:*\nUSA seems to lead.");
    expect(text).toContain("[Continue for $0.10 more] [Post to channel]");
  });

  it("failed and cancelled: say so, and offer nothing that would not help", () => {
    const failed = { outcome: "failed", failed: true, stop_reason: "provider_error", answer: null } as const;
    const text = read(
      forms({ ...stopped(), ...failed, message: "The model's provider failed." }, { shown: null }).rich,
    );
    expect(text).toContain("*This did not work.* The model's provider failed.");
    expect(text).not.toContain("[");
    const cancelled = { outcome: "cancelled", failed: true, stop_reason: "cancelled", answer: null } as const;
    expect(read(forms(cancelled, { shown: null }).rich)).toContain("*Stopped before there was an answer.*");
  });

  it("F5: declined by the model: says so, in one plain message", () => {
    const message = "The model declined to answer this question.";
    const text = read(forms({ ...stopped(), stop_reason: "refusal", message }, { shown: null }).rich);
    expect(text).toContain(`*No final answer.* ${message}`);
    expect(text).not.toContain("undefined");
  });

  it("A14: decides nothing by the wording of a text", () => {
    const kindOf = (run: Partial<PublicRun>): string =>
      read(forms({ ...run, message: "reworded", warnings: ["reworded"] }).rich).replaceAll("reworded", "");
    for (const outcome of OUTCOMES) {
      for (const stop_reason of STOP_REASONS) {
        const run = { outcome, stop_reason, failed: outcome !== "answered" };
        const shape = kindOf(run);
        expect(shape).toBe(kindOf({ ...run, message: "answered without querying the database" }));
        expect(shape.includes("*No final answer.*")).toBe(outcome === "stopped");
        expect(shape.includes("*This did not work.*")).toBe(outcome === "failed");
      }
    }
  });

  it("shows at most twenty rows, says what is left out, links to all and offers more", () => {
    const text = read(forms({}, { shown: MANY }).rich);
    expect(text).toContain("[table of 20]");
    expect(text).toContain(
      "Not all shown: rows 1 to 20 of 275. <https://querent.example.com/slack/results/run_a/r1?expires=1&amp;signature=2|All rows as CSV>",
    );
    expect(text).toContain("[Show rows] [Post to channel]");
  });

  it("in a channel, has nothing to post to it", () => {
    expect(read(forms({}, { shown: MANY, visibility: "in_channel" }).rich)).toMatch(/\[Show rows\]$/);
  });

  it("shows the queries that the answer rests on, and counts the others", () => {
    const queries = [
      query({ sql: "SELECT 1", result: "r1" }),
      query({ sql: "SELECT 2", result: "r2" }),
      query({ sql: "SELECT bad", result: null, error: "no such column" }),
    ];
    const text = read(forms({ receipt: { ...publicRun().receipt, queries, results: ["r2"] } }).rich);
    expect(text).toContain("```SELECT 2```\nand 2 other queries · 3 queries · ");
    expect(text).not.toMatch(/SELECT (1|bad)/);
  });

  it("H9, C38: text of models, rows, people and SQL pings nobody and makes no link", () => {
    const evil = "<!channel> <@U1> <http://evil|click> https://evil.com @here mailto:a@b.org ``` *bold*";
    const run = {
      question: evil,
      answer: evil,
      partial_answer: evil,
      message: evil,
      warnings: [evil],
      receipt: { ...publicRun().receipt, queries: [query({ sql: `SELECT '${evil}'` })] },
    };
    for (const outcome of OUTCOMES) {
      const shown = { ...SHOWN, columns: [evil, "n"], rows: [[evil, 1]] };
      for (const message of Object.values(forms({ ...run, outcome }, { shown, resultsUrl: null }))) {
        const checked = checkMessage(message as never);
        expect(checked.error).toBeNull();
        expect(readMarkup(message as never, checked.blocks)).toEqual({ mentions: [], links: [] });
      }
    }
  });

  it("links to nothing but the address it was given", () => {
    const message = forms({}, { shown: MANY }).rich;
    const links = readMarkup(message as never, checkMessage(message as never).blocks).links;
    expect(links).toEqual([`${LINK.replace("&", "&amp;")}|All rows as CSV`]);
  });

  it("is taken by Slack in each form, however long and odd its parts are", () => {
    const long = fc
      .tuple(fc.string({ unit: "binary", maxLength: 40 }), fc.integer({ min: 0, max: 2_000 }))
      .map(([unit, times]) => unit.repeat(times).slice(0, 20_000));
    const cell = fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.integer(), fc.constant(null));
    const rows = fc.array(fc.array(cell, { minLength: 12, maxLength: 12 }), { maxLength: 99 });
    const outcome = fc.constantFrom(...OUTCOMES);
    fc.assert(
      fc.property(long, long, long, rows, outcome, fc.boolean(), (text, answer, sql, cells, ending, isLong) => {
        const queries = Array.from({ length: isLong ? 30 : 1 }, () => query({ sql: sql || "SELECT 1" }));
        const run = {
          ...stopped({ outcome: ending }),
          question: text || "q",
          answer,
          message: text,
          warnings: isLong ? Array.from({ length: 9 }, () => answer || "w") : [],
          receipt: { ...publicRun().receipt, queries },
        };
        const columns = Array.from({ length: 12 }, (_, index) => `${text.slice(0, 100)} ${index}`);
        const shown = { ...MANY, columns, rows: cells };
        for (const message of Object.values(forms(run, { shown }))) {
          expect(checkMessage(message as never).error).toBeNull();
          expect(message.text.length).toBeLessThanOrEqual(4_000);
        }
      }),
      { numRuns: 80 },
    );
  });
});

describe("rows by themselves", () => {
  it("are a page of up to 99, with what is left out", () => {
    expect(read(toRowsForms(MANY, LINK).rich)).toMatch(
      /^\*Rows of r1\*\n\[table of 99\]\nNot all shown: rows 1 to 99 of 275\.\n<https:/,
    );
    expect(toRowsForms(MANY, null).plain.text).toContain("Rows 1 to 99 of 275.");
  });

  it("are a sentence when there are none", () => {
    expect(read(toRowsForms(null, null).rich)).toBe("This run has no rows to show.");
    expect(toNoticeForms("a < b").rich.blocks).toMatchObject([{ text: { text: "a &lt; b" } }]);
  });
});
