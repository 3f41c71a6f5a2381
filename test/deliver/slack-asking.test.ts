/** What a person in Slack decides on (C48), and what the model asks them. */
import { describe, expect, it } from "vitest";
import type { PublicApproval } from "../../src/agent/view.ts";
import { toApprovalForms, toInquiryForms } from "../../src/deliver/slack-asking.ts";
import type { SlackMessage } from "../../src/deliver/slack-blocks.ts";
import { checkMessage, readMarkup } from "../fakes/slack-rules.ts";
import { publicRun } from "./public-run.ts";

type Query = PublicApproval["queries"][number];

const query = (parts: Partial<Query> = {}): Query => ({
  index: 0,
  sql: "SELECT a.Title FROM Album a, Track t",
  tables: ["Album", "Track"],
  rows_read: 1_215_541,
  cost_usd: 0.00121,
  plan: ["SCAN a", "SCAN t"],
  ...parts,
});

const formsOf = (...queries: readonly Query[]) =>
  toApprovalForms(publicRun({ id: "run_a", question: "Which <!channel> albums?" }), {
    id: "a1",
    queries: [...queries],
  });

const textOf = (message: SlackMessage): string => JSON.stringify(message.blocks);
const checked = ({ text, blocks }: SlackMessage) => checkMessage({ text, blocks: [...blocks] });

describe("the message that asks for a yes", () => {
  it("C48: has the SQL, the engine's plan, the tables, rows and dollars, and the two buttons", () => {
    const { rich } = formsOf(query());
    expect(checked(rich).error).toBeNull();
    for (const part of [
      "SELECT a.Title FROM Album a, Track t",
      "SCAN a",
      "SCAN t",
      "Album, Track",
      "1,215,541 rows",
      "$0.0012",
    ])
      expect(textOf(rich)).toContain(part);
    const buttons = rich.blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
    expect(buttons.map(({ action_id, value }) => [action_id, value])).toEqual([
      ["querent_approve", "run_a a1"],
      ["querent_decline", "run_a a1"],
      ["querent_stop", "run_a"],
    ]);
    expect(rich.text).toContain("1,215,541 rows");
  });

  it("shows SQL in the order in which it runs: nothing in it turns the direction of the text", () => {
    const { rich } = formsOf(query({ sql: "SELECT \u202e1 -- \u2066x\u2069", plan: ["SCAN \u202ea"] }));
    expect(textOf(rich)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(textOf(rich)).toContain("SELECT \ufffd1 -- \ufffdx\ufffd");
  });

  it("makes no mention and no link out of a question, a statement or a table's name", () => {
    const nasty = "<!channel> <@U1> <https://evil.example|x> ```";
    const { rich, plain } = formsOf(query({ sql: nasty, tables: [nasty], plan: [nasty] }));
    for (const message of [rich, plain]) {
      const seen = readMarkup({ text: message.text }, checked(message).blocks);
      expect(seen).toEqual({ mentions: [], links: [] });
    }
  });

  it("stays within Slack's limits whatever the queries are, says what is left out, and marks what is cut", () => {
    const huge = query({
      sql: `SELECT '${"<&>".repeat(20_000)}'`,
      tables: Array.from({ length: 30 }, (_, index) => `Table<${index}>${"x".repeat(100)}`),
      plan: Array.from({ length: 31 }, () => "<".repeat(200)),
    });
    const { rich, plain } = formsOf(...Array.from({ length: 12 }, () => huge));
    expect(checked(rich).error).toBeNull();
    expect(checked(plain).error).toBeNull();
    expect(textOf(rich)).toContain("and 9 more");
    expect(textOf(rich)).toContain(" …");
  });
});

describe("the message that asks back", () => {
  const formsFor = (question: string, options: string[]) =>
    toInquiryForms(publicRun({ id: "run_a" }), { id: "q1", question, options });

  it("has the question, a button for each option, and one to stop", () => {
    const { rich } = formsFor("Which do you mean?", ["Revenue", "Number of orders"]);
    expect(checked(rich).error).toBeNull();
    const buttons = rich.blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
    expect(buttons.map(({ text, action_id, value }) => [text.text, action_id, value])).toEqual([
      ["Revenue", "querent_reply_0", "run_a q1"],
      ["Number of orders", "querent_reply_1", "run_a q1"],
      ["Stop", "querent_stop", "run_a"],
    ]);
  });

  it("makes no mention and no link, within Slack's limits", () => {
    const nasty = "<!channel> @here https://evil.example ".repeat(12).slice(0, 500);
    const { rich, plain } = formsFor(
      nasty,
      Array.from({ length: 5 }, () => "x".repeat(70)),
    );
    for (const message of [rich, plain]) {
      expect(checked(message).error).toBeNull();
      expect(readMarkup({ text: message.text }, checked(message).blocks)).toEqual({ mentions: [], links: [] });
    }
  });
});
