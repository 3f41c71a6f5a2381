import { describe, expect, it } from "vitest";
import { readChartWords } from "../../../src/models/offline/chart-words.ts";

describe("words that ask for a picture", () => {
  it.each([
    ["How many tracks per genre as a pie chart?", "How many tracks per genre?", "share"],
    ["Total by year in a line chart", "Total by year", "line"],
    ["Invoices per month, drawn as a bar graph, please.", "Invoices per month", "bar"],
    ["Draw a column chart of the tracks per genre", "Show the tracks per genre", "bar"],
    ["Please show me a scatter plot of price and length", "Show price and length", "dots"],
  ])("%s", (text, question, kind) => {
    expect(readChartWords(text)).toEqual({ question, kind });
  });

  it.each([
    "How many charts are there?",
    "Which tracks are in a bar chart of 2009?",
    "How many lines has an invoice?",
    "Show the chart",
    "Which albums came as a box?",
    "Sales by line",
  ])("%s asks for none", (text) => {
    expect(readChartWords(text)).toEqual({ question: text, kind: null });
  });

  it("takes no time over a long question", () => {
    const text = `${" as a line".repeat(2_000)}?`;
    expect(readChartWords(text).question).toBe(text);
  });
});
