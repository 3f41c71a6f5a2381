import { describe, expect, test } from "vitest";
import { type Config, readConfig } from "../../src/config.ts";
import { askSchema, checkAsk, checkLimits, modelsOf, TOOL_NAMES } from "../../src/http/ask.ts";
import { createAskUserTool } from "../../src/tools/ask-user.ts";
import { createDescribeTablesTool } from "../../src/tools/describe-tables.ts";
import { createExecuteSqlTool } from "../../src/tools/execute-sql.ts";
import { createFinalAnswerTool } from "../../src/tools/final-answer.ts";
import { createListTablesTool } from "../../src/tools/list-tables.ts";
import { createNotesTool } from "../../src/tools/notes.ts";
import { createPlanTool } from "../../src/tools/plan.ts";
import { createReadResultTool } from "../../src/tools/read-result.ts";

const HASH = `sha256:${"ab".repeat(32)}`;

function configFor(caller: object, env: object = {}): Config {
  return readConfig({ ...env, QUERENT_CALLERS: JSON.stringify({ a: { keys: [HASH], ...caller } }) });
}

function check(ask: unknown, config: Config) {
  return checkAsk(askSchema.parse(ask), config.callers.get("a")!, config, "localhost");
}

const without = (...names: readonly string[]) => TOOL_NAMES.filter((name) => !names.includes(name));
const STANDARD_TOOLS = without("notes", "plan", "ask_user");

describe("TOOL_NAMES", () => {
  test("are the tools themselves", () => {
    const database = null as never;
    const tools = [
      createListTablesTool(database),
      createDescribeTablesTool(database),
      createExecuteSqlTool(database),
      createReadResultTool(),
      createAskUserTool(),
      createNotesTool(),
      createPlanTool(),
      createFinalAnswerTool(),
    ];
    expect(TOOL_NAMES).toEqual(tools.map((tool) => tool.name));
  });
});

describe("checkAsk", () => {
  test("fills in every default", () => {
    const config = configFor({});
    expect(check({ question: "How many?" }, config)).toMatchObject({
      ok: true,
      value: { mode: "auto", grounding: "report", model: "offline", tools: STANDARD_TOOLS, callbackUrl: null },
    });
  });

  test("depth: deep adds notes and a plan; a list of tools says for itself what it wants", () => {
    const config = configFor({});
    const toolsOf = (ask: object) => check({ question: "q", ...ask }, config);
    expect(toolsOf({ depth: "deep" })).toMatchObject({ value: { tools: without("ask_user") } });
    expect(toolsOf({ depth: "standard" })).toMatchObject({ value: { tools: STANDARD_TOOLS } });
    expect(toolsOf({ depth: "deep", tools: ["notes"] })).toMatchObject({ value: { tools: ["notes"] } });
  });

  test("may_ask lets the model ask back: as the caller is set, or as the question says", () => {
    for (const [caller, ask, isOffered] of [
      [{}, {}, false],
      [{}, { may_ask: true }, true],
      [{ may_ask: true }, {}, true],
      [{ may_ask: true }, { may_ask: false }, false],
      [{ may_ask: true }, { tools: ["final_answer"] }, false],
      [{}, { tools: ["ask_user"] }, true],
    ] as const) {
      const checked = check({ question: "q", ...ask }, configFor(caller));
      expect([caller, ask, checked.ok && checked.value.tools.includes("ask_user")]).toEqual([caller, ask, isOffered]);
    }
  });

  test("C45: rows above which a person is asked: as the caller is set, tighter if the question says so, never looser", () => {
    const rowsOf = (caller: object, ask: object) => check({ question: "q", ...ask }, configFor(caller));
    expect(rowsOf({}, {})).not.toHaveProperty("value.approveAboveRows");
    expect(rowsOf({}, { approve_above_rows: 0 })).toMatchObject({ value: { approveAboveRows: 0 } });
    expect(rowsOf({ approve_above_rows: 9 }, {})).toMatchObject({ value: { approveAboveRows: 9 } });
    expect(rowsOf({ approve_above_rows: 9 }, { approve_above_rows: 9 })).toMatchObject({
      value: { approveAboveRows: 9 },
    });
    expect(rowsOf({ approve_above_rows: 9 }, { approve_above_rows: 10 })).toMatchObject({
      ok: false,
      error: {
        code: "limit_above_maximum",
        options: { errors: [{ pointer: "#/approve_above_rows" }], more: { max: { approve_above_rows: 9 } } },
      },
    });
  });

  test("a caller that may not use the server's default model gets the first of its own", () => {
    const config = configFor({ models: ["claude-haiku-5-5"] }, { ANTHROPIC_API_KEY: "k" });
    expect(check({ question: "q" }, config)).toMatchObject({ ok: true, value: { model: "claude-haiku-5-5" } });
    expect(check({ question: "q", model: "claude-sonnet-5-5" }, config)).toMatchObject({
      ok: false,
      error: { code: "model_not_available", detail: "You may use: claude-haiku-5-5." },
    });
    expect(modelsOf(config.callers.get("a")!, config)).toEqual(["claude-haiku-5-5"]);
  });

  test("a caller's own callback_url holds unless the question names another", () => {
    const config = configFor(
      { callback_url: "https://a.example.org/hook" },
      { CALLBACK_ORIGINS: "*", WEBHOOK_SIGNING_SECRET: `whsec_${btoa("x".repeat(32))}` },
    );
    expect(check({ question: "q" }, config)).toMatchObject({ value: { callbackUrl: "https://a.example.org/hook" } });
    expect(check({ question: "q", callback_url: "https://b.example.org/" }, config)).toMatchObject({
      value: { callbackUrl: "https://b.example.org/" },
    });
  });

  test("a tool named twice is one tool, and an empty list means none", () => {
    const config = configFor({});
    expect(check({ question: "q", tools: ["list_tables", "list_tables"] }, config)).toMatchObject({
      value: { tools: ["list_tables"] },
    });
    expect(check({ question: "q", tools: [] }, config)).toMatchObject({ value: { tools: [] } });
  });
});

describe("checkLimits", () => {
  const { limits } = configFor({
    limits: { default: { budget_usd: 0.1 }, max: { budget_usd: 0.3, max_steps: 10 } },
  }).callers.get("a")!;

  test("G5: a default above the caller's maximum is lowered to it", () => {
    expect(checkLimits(undefined, limits)).toMatchObject({ value: { stepsMax: 10, costNanoUsdMax: 100_000_000 } });
  });

  test("exactly the maximum is allowed, one part more is not", () => {
    expect(checkLimits({ budget_usd: 0.3 }, limits).ok).toBe(true);
    expect(checkLimits({ budget_usd: 0.300000001 }, limits)).toMatchObject({
      error: { code: "limit_above_maximum", options: { more: { max: { budget_usd: 0.3 } } } },
    });
  });
});
