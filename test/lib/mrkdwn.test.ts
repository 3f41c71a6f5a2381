import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeMrkdwn, fromMarkdown, toCodeBlock, toInertMrkdwn, unescapeMrkdwn } from "../../src/lib/mrkdwn.ts";

describe("text in mrkdwn", () => {
  it("has exactly three characters escaped", () => {
    expect(escapeMrkdwn("a & b < c > d \"e\" 'f' `g` *h*")).toBe("a &amp; b &lt; c &gt; d \"e\" 'f' `g` *h*");
  });

  it("comes back as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(unescapeMrkdwn(escapeMrkdwn(text))).toBe(text.toWellFormed());
      }),
    );
  });

  it("H9: leaves no mention, link or date that Slack would know", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(escapeMrkdwn(`<!channel>${text}<@U1><http://evil|click>`)).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      }),
    );
  });

  it("C38: has no address or mention left in plain words, and looks the same", () => {
    const inert = toInertMrkdwn("see https://evil.example/x, evil.com, mailto:a@b.org, @here and tel:123");
    expect(inert).not.toMatch(/:\/\/|evil\.com|mailto:|@here|@b|tel:1/);
    expect(inert.replaceAll("\u2060", "")).toBe(
      "see https://evil.example/x, evil.com, mailto:a@b.org, @here and tel:123",
    );
  });

  it("leaves numbers and sentences as they are", () => {
    const text = "Spent $523.06 in 3.4 s. Then 1.5 more; e.g. this.";
    expect(toInertMrkdwn(text).replaceAll("\u2060", "")).toBe(text);
    expect(toInertMrkdwn("$523.06 in 3.4 s.")).toBe("$523.06 in 3.4 s.");
  });
});

describe("a model's Markdown", () => {
  it("keeps its emphasis and headings", () => {
    expect(fromMarkdown("# Sales\n**USA** leads, __not__ 2 ** 3\n- one")).toBe(
      "*Sales*\n*USA* leads, __not__ 2 ** 3\n- one",
    );
  });
});

describe("a block of code", () => {
  it("is not ended by its own text", () => {
    const block = toCodeBlock("SELECT `a`, '```' FROM t WHERE x < 1");
    expect(block.startsWith("```") && block.endsWith("```")).toBe(true);
    expect(block.slice(3, -3)).not.toContain("``");
    expect(block).toContain("x &lt; 1");
  });
});
