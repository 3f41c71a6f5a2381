import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX } from "../../src/agent/limits.ts";
import { ConfigError } from "../../src/config/variables.ts";
import { readConfig } from "../../src/config.ts";

const HASH = `sha256:${"ab".repeat(32)}`;
const OTHER = `sha256:${"cd".repeat(32)}`;

function read(callers: unknown, env: object = {}) {
  return readConfig({ ...env, QUERENT_CALLERS: JSON.stringify(callers) }).callers;
}

function messageOf(callers: unknown, env: object = {}): string {
  try {
    read(callers, env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  return "";
}

describe("QUERENT_CALLERS", () => {
  test("a question that names no budget fits the caller's day", () => {
    const caller = read({ a: { keys: [HASH], daily_usd: 0.2 } }).get("a");
    expect(caller?.limits.default.budget_usd).toBe(0.2);
    expect(caller?.limits.max.budget_usd).toBe(DEFAULT_LIMITS_MAX.budget_usd);
  });

  test("a caller with keys alone gets every default, none of them infinite", () => {
    expect(read({ a: { keys: [HASH] } }).get("a")).toEqual({
      name: "a",
      keyHashes: ["ab".repeat(32)],
      scopes: {},
      models: null,
      limits: { default: DEFAULT_LIMITS, max: DEFAULT_LIMITS_MAX },
      dailyNanoUsdMax: 10_000_000_000,
      ratePerMinuteMax: 60,
      runsAtOnceMax: 8,
      callbackUrl: null,
      mayAsk: false,
      approveAboveRows: null,
      promptCache: "5m",
    });
  });

  test("every field reaches the caller", () => {
    const callbacks = {
      CALLBACK_ORIGINS: "https://example.com",
      WEBHOOK_SIGNING_SECRET: `whsec_${btoa("x".repeat(32))}`,
    };
    const caller = read(
      {
        a: {
          keys: [HASH, { hash: OTHER, note: "the new one" }],
          scopes: {
            tables: { allow: ["Customer"], deny: ["Secret"] },
            columns: { deny: ["Customer.Email"], mask: ["*.Phone"] },
            mask_values: ["email"],
            row_cap: 50,
          },
          models: ["offline"],
          limits: { default: { budget_usd: 0.1 }, max: { budget_usd: 0.2 } },
          daily_usd: 1.5,
          rate: { per_minute: 3 },
          runs_at_once: 2,
          callback_url: "https://example.com/hook",
          may_ask: true,
          approve_above_rows: 5_000,
          prompt_cache: "1h",
        },
      },
      { QUERENT_LIMITS: '{"max": {"max_steps": 20}}', ...callbacks },
    ).get("a");
    expect(caller).toEqual({
      name: "a",
      keyHashes: ["ab".repeat(32), "cd".repeat(32)],
      scopes: {
        tables: { allow: ["Customer"], deny: ["Secret"] },
        columns: { deny: ["Customer.Email"], mask: ["*.Phone"] },
        maskValues: ["email"],
        rowCap: 50,
      },
      models: ["offline"],
      limits: {
        default: { ...DEFAULT_LIMITS, budget_usd: 0.1 },
        max: { ...DEFAULT_LIMITS_MAX, max_steps: 20, budget_usd: 0.2 },
      },
      dailyNanoUsdMax: 1_500_000_000,
      ratePerMinuteMax: 3,
      runsAtOnceMax: 2,
      callbackUrl: "https://example.com/hook",
      mayAsk: true,
      approveAboveRows: 5_000,
      promptCache: "1h",
    });
  });

  test("a callback_url that nothing could be sent to stops the start", () => {
    const callers = { a: { keys: [HASH], callback_url: "https://example.com/hook" } };
    const secret = { WEBHOOK_SIGNING_SECRET: `whsec_${btoa("x".repeat(32))}` };
    expect(messageOf(callers)).toMatch(/CALLBACK_ORIGINS/);
    expect(messageOf(callers, secret)).toMatch(/CALLBACK_ORIGINS/);
    expect(messageOf(callers, { ...secret, CALLBACK_ORIGINS: "https://other.example.com" })).toMatch(
      /CALLBACK_ORIGINS/,
    );
    expect(messageOf(callers, { CALLBACK_ORIGINS: "*" })).toMatch(/WEBHOOK_SIGNING_SECRET/);
    expect(read(callers, { ...secret, CALLBACK_ORIGINS: "*" }).get("a")?.callbackUrl).toBe("https://example.com/hook");
    for (const url of ["http://example.com/hook", "https://127.0.0.1.nip.io/", "https://u:p@example.com/", "hook"]) {
      const wrong = { a: { keys: [HASH], callback_url: url } };
      expect(messageOf(wrong, { ...secret, CALLBACK_ORIGINS: "*" })).toMatch(
        /callback_url.*CALLBACK_ORIGINS.*\. The|This/,
      );
    }
  });

  test("an empty allow list allows nothing, and stays one", () => {
    const caller = read({ a: { keys: [HASH], scopes: { tables: { allow: [] } } } }).get("a");
    expect(caller?.scopes).toEqual({ tables: { allow: [] } });
  });

  test.each([
    [{ a: {} }, /a\.keys/],
    [{ a: { keys: HASH } }, /a\.keys/],
    [{ a: { keys: ["qk_plain-key"] } }, /npm run key/],
    [{ a: { keys: [`sha256:${"AB".repeat(32)}`] } }, /64 hex digits/],
    [{ a: { keys: [HASH], budget: 1 } }, /budget/],
    [{ a: { keys: [HASH], daily_usd: 0 } }, /daily_usd/],
    [{ a: { keys: [HASH], daily_usd: null } }, /daily_usd/],
    [{ a: { keys: [HASH], rate: { per_minute: 0 } } }, /per_minute/],
    [{ a: { keys: [HASH], rate: 5 } }, /rate/],
    [{ a: { keys: [HASH], runs_at_once: -1 } }, /runs_at_once/],
    [{ a: { keys: [HASH], models: [] } }, /models/],
    [{ a: { keys: [HASH], prompt_cache: "2h" } }, /prompt_cache.*5m.*1h/],
    [{ a: { keys: [HASH], scopes: { table: {} } } }, /table/],
    [{ a: { keys: [HASH], scopes: { columns: { deny: ["Email"] } } } }, /Table\.Column/],
    [{ a: { keys: [HASH], scopes: { mask_values: ["emails"] } } }, /mask_values/],
    [{ a: { keys: [HASH], scopes: { row_cap: 0 } } }, /row_cap/],
    [{ a: { keys: [HASH], limits: { default: { budget_usd: 5 }, max: { budget_usd: 1 } } } }, /above its maximum/],
    [{ "a b": { keys: [HASH] } }, /name/],
    [{ "slack:app": { keys: [HASH] } }, /name/],
    [{ local: { keys: [HASH] } }, /taken/],
    [{ a: { keys: [HASH] }, b: { keys: [HASH] } }, /same key/],
    [
      { a: { keys: ["sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"] } },
      /hash of an empty key/,
    ],
    [[], /wrong: must be an object, not a list/],
  ])("B13: %j stops the start", (callers, wanted) => {
    const message = messageOf(callers);
    expect(message).toContain("QUERENT_CALLERS");
    expect(message).toMatch(wanted);
  });

  test("a plain key that was pasted by mistake is not repeated in the message", () => {
    expect(messageOf({ a: { keys: ["qk_plain-key"] } })).not.toContain("plain-key");
  });

  test("the name `__proto__` makes no caller", () => {
    const text = `{"__proto__": {"keys": ["${HASH}"]}}`;
    expect(readConfig({ QUERENT_CALLERS: text }).callers.size).toBe(0);
  });
});
