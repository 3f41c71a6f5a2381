import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX } from "../src/agent/limits.ts";
import { ConfigError, VARIABLE_NAMES } from "../src/config/variables.ts";
import { configOf, isLocal, readConfig } from "../src/config.ts";

const HASH = `sha256:${"ab".repeat(32)}`;
const WHSEC = `whsec_${btoa("x".repeat(32))}`;

function messageOf(env: object): string {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  return "";
}

describe("readConfig", () => {
  test("with nothing set, everything is closed and bounded", () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      local: false,
      model: "offline",
      models: ["offline"],
      localCaller: null,
      limits: { default: DEFAULT_LIMITS, max: DEFAULT_LIMITS_MAX },
      corsOrigins: [],
      callbackOrigins: [],
      webhookSigningSecrets: [],
      slack: null,
    });
    expect(config.callers.size).toBe(0);
    expect(config.webhookSources.size).toBe(0);
  });

  test("an empty variable is an unset one", () => {
    const empty = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, " "]));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  test("with a key, Claude is the default, and every priced Claude model may be asked for", () => {
    const config = readConfig({ ANTHROPIC_API_KEY: "sk-ant-1\n", ANTHROPIC_BASE_URL: "http://127.0.0.1:9/" });
    expect(config.model).toBe("claude-sonnet-5-5");
    expect(config.anthropic).toEqual({ apiKey: "sk-ant-1", baseUrl: "http://127.0.0.1:9" });
    expect(config.models).toContain("claude-haiku-5-5");
    expect(config.models).toContain("offline");
  });

  test("G1: an unknown model, or one without its key or its price, stops the start", () => {
    expect(messageOf({ QUERENT_MODEL: "claude-opus-9.9", ANTHROPIC_API_KEY: "k" })).toMatch(/No price is known/);
    expect(messageOf({ QUERENT_MODEL: "claude-opus-5-5" })).toMatch(/needs ANTHROPIC_API_KEY/);
    expect(messageOf({ QUERENT_MODEL: "my-model", OPENAI_API_KEY: "k" })).toMatch(/QUERENT_PRICES/);
    const prices = '{"my-model": {"input": 2, "output": 10}}';
    expect(messageOf({ QUERENT_MODEL: "my-model", QUERENT_PRICES: prices })).toMatch(/needs OPENAI_API_KEY/);
    const openai = { QUERENT_MODEL: "my-model", QUERENT_PRICES: prices, OPENAI_BASE_URL: "http://ollama:11434/v1" };
    expect(readConfig(openai).model).toBe("my-model");
    expect(messageOf({ QUERENT_PRICES: '{"my-model": {"input": 0, "output": 10}}' })).toMatch(/QUERENT_PRICES/);
    expect(messageOf({ QUERENT_PRICES: '{"offline": {"input": 1, "output": 1}}' })).toMatch(/offline/);
  });

  test.each([
    ["QUERENT_LIMIT", "QUERENT_LIMITS"],
    ["QUERENT_CALLER", "QUERENT_CALLERS"],
    ["querent_callers", "QUERENT_CALLERS"],
    ["SLACK_SIGNING_SECERT", "SLACK_SIGNING_SECRET"],
    ["WEBHOOK_SOURCE", "WEBHOOK_SOURCES"],
    ["CALLBACK_ORIGIN", "CALLBACK_ORIGINS"],
    ["ANTROPIC_API_KEY", "ANTHROPIC_API_KEY"],
    ["QUERENT_BUDGET", "QUERENT_LIMITS"],
    ["SLACK_TOKEN", "SLACK_BOT_TOKEN"],
  ])("B13: the unknown name %s stops the start and names %s", (name, near) => {
    const message = messageOf({ [name]: "x" });
    expect(message).toContain(name);
    expect(message).toContain(near);
  });

  test("other people's bindings are left alone", () => {
    expect(readConfig({ DB: {}, RUNS: {}, CALLERS: {}, ASSETS: {}, CF_VERSION_METADATA: {} }).local).toBe(false);
  });

  test.each([
    ["{", /not valid JSON.*line 1/],
    ["[]", /wrong: must be an object, not a list/],
    ['{"default": {"budget_usd": 0}}', /default\.budget_usd/],
    ['{"default": {"budget_usd": "1"}}', /default\.budget_usd/],
    ['{"max": {"max_steps": -1}}', /max\.max_steps/],
    ['{"max": {"max_step": 1}}', /max_step/],
    ['{"maximum": {}}', /maximum/],
    ['{"default": {}, "default": {}}', /twice/],
    ['{"default": {"budget_usd": 2}, "max": {"budget_usd": 1}}', /above its maximum/],
  ])("B13: QUERENT_LIMITS of %s stops the start", (text, wanted) => {
    const message = messageOf({ QUERENT_LIMITS: text });
    expect(message).toContain("QUERENT_LIMITS");
    expect(message).toMatch(wanted);
  });

  test("QUERENT_LIMITS lays its fields over the defaults, as text or as an object", () => {
    const given = { default: { budget_usd: 0.1 }, max: { budget_usd: 0.2 } };
    for (const value of [given, JSON.stringify(given)]) {
      const { limits } = readConfig({ QUERENT_LIMITS: value });
      expect(limits.default).toEqual({ ...DEFAULT_LIMITS, budget_usd: 0.1 });
      expect(limits.max).toEqual({ ...DEFAULT_LIMITS_MAX, budget_usd: 0.2 });
    }
  });

  test("a value of the wrong type stops the start without repeating it", () => {
    expect(messageOf({ QUERENT_MODEL: 5 })).toMatch(/QUERENT_MODEL must be text/);
    expect(messageOf({ ANTHROPIC_API_KEY: ["x"] })).toMatch(/ANTHROPIC_API_KEY must be text/);
    expect(messageOf({ ANTHROPIC_API_KEY: "sk-ant secret" })).not.toContain("secret");
    expect(messageOf({ ANTHROPIC_BASE_URL: "https://user:hunter2@example.com" })).not.toContain("hunter2");
  });

  test("locally a caller without keys and scopes may ask, within rates", () => {
    const config = readConfig({ QUERENT_LOCAL: "1" });
    expect(config.local).toBe(true);
    expect(config.localCaller).toMatchObject({ name: "local", scopes: {}, models: null });
    expect(messageOf({ QUERENT_LOCAL: "true" })).toMatch(/QUERENT_LOCAL/);
    expect(isLocal({ QUERENT_LOCAL: "1", QUERENT_LIMIT: "" })).toBe(true);
    expect(isLocal({ QUERENT_LOCAL: "yes" })).toBe(false);
    expect(isLocal({})).toBe(false);
  });

  test("a caller may only list models that are configured", () => {
    const callers = (model: string) => JSON.stringify({ a: { keys: [HASH], models: [model] } });
    expect(messageOf({ QUERENT_CALLERS: callers("claude-opus-5-5") })).toMatch(/not configured/);
    const config = readConfig({ QUERENT_CALLERS: callers("claude-opus-5-5"), ANTHROPIC_API_KEY: "k" });
    expect(config.callers.get("a")?.models).toEqual(["claude-opus-5-5"]);
  });

  test("callbacks need origins and a signing secret of the right form", () => {
    const config = readConfig({
      CALLBACK_ORIGINS: "https://a.example.com, http://127.0.0.1:9000",
      WEBHOOK_SIGNING_SECRET: `${WHSEC} ${WHSEC}`,
    });
    expect(config.callbackOrigins).toEqual(["https://a.example.com", "http://127.0.0.1:9000"]);
    expect(config.webhookSigningSecrets).toEqual([WHSEC, WHSEC]);
    expect(readConfig({ CALLBACK_ORIGINS: "*" }).callbackOrigins).toEqual(["*"]);
    for (const origins of [
      "example.com",
      "https://example.com/hook",
      "ftp://example.com",
      "null",
      "https://*.a.com/x",
    ]) {
      expect(messageOf({ CALLBACK_ORIGINS: origins })).toMatch(/CALLBACK_ORIGINS/);
      expect(messageOf({ QUERENT_CORS_ORIGINS: origins })).toMatch(/QUERENT_CORS_ORIGINS/);
    }
    expect(messageOf({ QUERENT_CORS_ORIGINS: "*" })).toMatch(/QUERENT_CORS_ORIGINS/);
    expect(messageOf({ WEBHOOK_SIGNING_SECRET: "hunter2hunter2" })).toMatch(/WEBHOOK_SIGNING_SECRET/);
    expect(messageOf({ WEBHOOK_SIGNING_SECRET: "hunter2hunter2" })).not.toContain("hunter2");
  });

  test("half a Slack door stops the start", () => {
    const caller = '{"teams": ["T0123ABCD"], "users": ["U1"]}';
    expect(messageOf({ SLACK_SIGNING_SECRET: "s" })).toMatch(/SLACK_CALLER/);
    expect(messageOf({ SLACK_CALLER: caller })).toMatch(/SLACK_SIGNING_SECRET/);
    expect(messageOf({ SLACK_BOT_TOKEN: "xoxb-1" })).toMatch(/SLACK_SIGNING_SECRET/);
    expect(messageOf({ SLACK_SIGNING_SECRET: "s", SLACK_CALLER: "{}" })).toMatch(/teams/);
    const config = readConfig({ SLACK_SIGNING_SECRET: "s", SLACK_CALLER: caller });
    expect(config.slack).toMatchObject({
      teams: ["T0123ABCD"],
      channels: null,
      users: ["U1"],
      responseOrigin: "https://hooks.slack.com",
      apiOrigin: "https://slack.com",
      caller: { name: "slack:app" },
    });
    const fake = { SLACK_SIGNING_SECRET: "s", SLACK_CALLER: caller, SLACK_RESPONSE_ORIGIN: "http://127.0.0.1:9" };
    expect(readConfig(fake).slack?.responseOrigin).toBe("http://127.0.0.1:9");
    expect(messageOf({ ...fake, SLACK_API_ORIGIN: "slack.com" })).toMatch(/SLACK_API_ORIGIN/);
  });

  test("the config is frozen at every depth", () => {
    const config = readConfig({ QUERENT_CALLERS: JSON.stringify({ a: { keys: [HASH] } }) });
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.limits.max)).toBe(true);
    expect(Object.isFrozen(config.callers.get("a"))).toBe(true);
    expect(Object.isFrozen(config.callers.get("a")?.keyHashes)).toBe(true);
  });
});

describe("configOf", () => {
  test("reads an env once, and gives its error every time", () => {
    const env = {};
    expect(configOf(env)).toBe(configOf(env));
    const wrong = { QUERENT_LIMIT: "{}" };
    expect(() => configOf(wrong)).toThrow(ConfigError);
    expect(() => configOf(wrong)).toThrow(ConfigError);
  });
});
