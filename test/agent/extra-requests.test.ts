/** The words that Querent says to a model: what must be in them, and what never may. */
import { describe, expect, it } from "vitest";
import { criticRequest, LAST_CALL_TEXT, lastCallRequest, summaryRequest } from "../../src/agent/extra-requests.ts";
import { systemText } from "../../src/agent/prompt.ts";
import { byteLength } from "../../src/lib/bytes.ts";

const SCHEMA = "table Album (347 rows)\n  AlbumId INTEGER primary key";

describe("lastCallRequest", () => {
  it("A31: is a tool-less request with the question and what was found", () => {
    const request = lastCallRequest("How many?", "Result r1", 1_000);
    expect(request.tools).toEqual([]);
    expect(request.toolChoice).toBe("none");
    expect(request.messages).toEqual([
      { role: "user", text: `Question: How many?\n\n<results>\nResult r1\n</results>\n\n${LAST_CALL_TEXT}` },
    ]);
  });

  it("says so when no query gave a result", () => {
    expect(JSON.stringify(lastCallRequest("How many?", null, 1_000).messages)).toContain("(No query gave a result.)");
  });

  it("cuts question and findings to the bound together: a third and two thirds", () => {
    const fixed = byteLength(JSON.stringify(lastCallRequest("", "", 900).messages));
    const long = JSON.stringify(lastCallRequest("q".repeat(5_000), "f".repeat(5_000), 900).messages);
    expect(byteLength(long)).toBe(fixed + 900);
    expect(long.match(/q{300}/)?.[0]).toHaveLength(300);
    expect(long).not.toMatch(/q{301}|f{601}/);
  });
});

describe("the extra calls", () => {
  it("B37, B38: a critic sees the question, the schema and what was tried, and no tools", () => {
    const request = criticRequest("How many?", systemText(SCHEMA), "- SELECT x → No such column.");
    expect(request.tools).toEqual([]);
    expect(request.toolChoice).toBe("none");
    expect(request.system).toContain(`<schema>\n${SCHEMA}\n</schema>`);
    expect(request.system).not.toContain("You are Querent");
    const [message] = request.messages;
    expect(message).toMatchObject({ role: "user" });
    expect(JSON.stringify(message)).toContain("Question: How many?");
    expect(JSON.stringify(message)).toContain("- SELECT x → No such column.");
    expect(request.messages).toHaveLength(1);
  });

  it("a critic without a schema in the system text gets none", () => {
    expect(criticRequest("q", "nothing here", "-").system).not.toContain("undefined");
  });

  it("B32: a summary is asked of the cut-off text alone", () => {
    const request = summaryRequest("The answer is 34");
    expect(request.messages).toHaveLength(1);
    expect(JSON.stringify(request.messages)).toContain("<reply>\\nThe answer is 34\\n</reply>");
    expect(request.tools).toEqual([]);
  });
});
