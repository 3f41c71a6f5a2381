import { describe, expect, it } from "vitest";
import { z } from "zod";
import { success } from "../../src/agent/observation.ts";
import { signatureOf } from "../../src/agent/signature.ts";
import { defineTool, NOTHING_FORESEEN, type ToolContext, type ToolDefinition } from "../../src/agent/tool.ts";

interface Input {
  readonly sql: string;
  readonly page?: number | undefined;
}

const schema = z.strictObject({ sql: z.string().min(1), page: z.int().min(1).optional() });

function toolWith(parts: Partial<ToolDefinition<Input>> = {}) {
  return defineTool<Input>({
    name: "probe",
    description: "For tests.",
    input: schema,
    run: async (input) => ({ observation: success(`ran ${input.sql}`), rowsRead: 0, query: null }),
    ...parts,
  });
}

const context: ToolContext = {
  signal: new AbortController().signal,
  rowsReadMax: 10,
  memo: { notes: [], plan: [], brainstormed: false },
  described: [],
  bookmark: null,
  reply: null,
  results: { get: () => null, put: () => Promise.reject(new Error("no result is kept here")) },
};

describe("defineTool", () => {
  it("shows a model the name, the description and the strict JSON schema of the input", () => {
    const { name, description, inputSchema } = toolWith();
    expect({ name, description }).toEqual({ name: "probe", description: "For tests." });
    expect(inputSchema).toMatchObject({
      type: "object",
      required: ["sql"],
      additionalProperties: false,
      properties: { sql: { type: "string" }, page: { type: "integer", minimum: 1 } },
    });
  });

  it.each<[string, unknown, RegExp]>([
    ["an extra key", { sql: "SELECT 1", limit: 5 }, /limit/],
    ["a missing key", {}, /^sql: /],
    ["a wrong type", { sql: 1 }, /^sql: /],
    ["an empty text", { sql: "" }, /^sql: /],
    ["a wrong number", { sql: "SELECT 1", page: 0 }, /^page: /],
    ["a list", [], /object/],
    ["nothing", null, /object/],
    ["text", "SELECT 1", /object/],
  ])("A15: %s is told, field by field, and not run", (_what, input, problem) => {
    const checked = toolWith().check(input);
    expect(checked.ok).toBe(false);
    expect(!checked.ok && checked.error).toEqual([expect.stringMatching(problem)]);
  });

  it("tells every problem, not only the first", () => {
    const checked = toolWith().check({ sql: 1, page: "x" });
    expect(!checked.ok && checked.error).toHaveLength(2);
  });

  it("runs with the input that the schema has accepted", async () => {
    const checked = toolWith().check({ sql: "SELECT 1" });
    if (!checked.ok) throw new Error("the input is right");
    expect((await checked.value.run(context)).observation.summary).toBe("ran SELECT 1");
  });

  it("what it would do is the tool's own word, or nothing", async () => {
    const plain = toolWith().check({ sql: "a" });
    const foresee = async ({ sql }: { sql: string }) => ({ ...NOTHING_FORESEEN, rowsRead: sql.length * 100 });
    const counting = toolWith({ foresee }).check({ sql: "abc" });
    expect(plain.ok && (await plain.value.foresee())).toBe(NOTHING_FORESEEN);
    expect(counting.ok && (await counting.value.foresee()).rowsRead).toBe(300);
  });

  it("B18: the signature is of the accepted input, or of its canonical form", () => {
    const plain = toolWith().check({ page: 1, sql: "SELECT 1" });
    expect(plain.ok && plain.value.signature).toBe(signatureOf("probe", { sql: "SELECT 1", page: 1 }));
    const canonical = toolWith({ canonical: ({ sql }) => ({ sql: sql.toLowerCase() }) });
    const upper = canonical.check({ sql: "SELECT 1" });
    const lower = canonical.check({ sql: "select 1" });
    expect(upper.ok && lower.ok && upper.value.signature === lower.value.signature).toBe(true);
  });

  it("A16: a bug in a tool is thrown, not made into an observation", async () => {
    const checked = toolWith({ run: () => Promise.reject(new TypeError("a bug")) }).check({ sql: "x" });
    if (!checked.ok) throw new Error("the input is right");
    await expect(checked.value.run(context)).rejects.toThrow(TypeError);
  });
});
