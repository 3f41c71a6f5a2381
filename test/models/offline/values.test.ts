import { describe, expect, it } from "vitest";
import { parseTokens } from "../../../src/models/offline/question-tokens.ts";
import type { ValueMatch } from "../../../src/models/offline/values.ts";
import { createValueSource, lookUp, plainForm, valueSpanAt } from "../../../src/models/offline/values.ts";
import { CLINIC, graphOf } from "./examples.ts";

const graph = graphOf(CLINIC);
const none = new Map<string, readonly ValueMatch[]>();
const source = createValueSource(graph, none);

function spans(question: string): string[] {
  const tokens = parseTokens(question);
  const found: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const span = valueSpanAt(tokens, at, source, 0);
    if (span !== null) found.push(span.text);
    at += span?.length ?? 1;
  }
  return found;
}

describe("values in a question", () => {
  it("a run of capitals is one value, small words between them included", () => {
    expect(spans("albums by Iron Maiden and songs of Duke of York")).toEqual(["Iron Maiden", "Duke of York"]);
  });

  it("a capital at the start of a sentence says nothing by itself", () => {
    expect(spans("Count the rows")).toEqual([]);
  });

  it("quoted text and what follows `named` are values whatever they look like", () => {
    expect(spans("the section named h or 'some thing'")).toEqual(["h", "some thing"]);
  });

  it("samples are found in any case and in the plural", () => {
    expect(lookUp("CARDIOLOGISTS", source)).toEqual([
      { table: "Doctor", columns: ["Specialty"], values: ["cardiologist"], whole: true },
    ]);
    expect(plainForm("Sales Support Agents")).toBe("sales support agent");
  });

  it("what a probe found is found again", () => {
    const match: ValueMatch = { table: "Patient", columns: ["City"], values: ["Ghent"], whole: true };
    const probed = createValueSource(graph, new Map([["gent", [match]]]));
    expect(lookUp("Gent", probed)).toEqual([match]);
    expect(lookUp("Gent", source)).toEqual([]);
  });
});
