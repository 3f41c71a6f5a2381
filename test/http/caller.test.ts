/** `GET /v1/caller`: what a key may use, and nothing of what it may not. */
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX } from "../../src/agent/limits.ts";
import type { DayUsage } from "../../src/durable/caller-contract.ts";
import { callerSchema } from "../../src/http/caller.ts";
import { createHarness, KEY, sha256 } from "./harness.ts";

const key = { headers: { authorization: `Bearer ${KEY}` } };
const day = (name: string): DayUsage => ({
  day: name,
  spentNanoUsd: 1_500_000_000,
  reservedNanoUsd: 500_000_000,
  runs: 3,
  outcomes: { answered: 3, stopped: 0, failed: 0, cancelled: 0, lost: 0 },
  alerts: [],
});

async function read(fields: object, days: readonly DayUsage[] = [], settings: object = {}) {
  const QUERENT_CALLERS = JSON.stringify({ alice: { keys: [sha256(KEY)], ...fields } });
  const { request, bindings, ports } = createHarness({ QUERENT_CALLERS, ...settings });
  bindings.CALLERS.get(bindings.CALLERS.idFromName("alice")).usage = async () => days;
  const response = await request("/v1/caller", key);
  const text = await response.text();
  return { caller: callerSchema.parse(JSON.parse(text)), text, response, ports };
}

describe("GET /v1/caller", () => {
  it("tells the defaults of the product where the operator has said nothing", async () => {
    const { caller, response } = await read({});
    expect(caller).toEqual({
      name: "alice",
      models: ["offline"],
      default_model: "offline",
      limits: { default: DEFAULT_LIMITS, max: DEFAULT_LIMITS_MAX },
      scopes: { all_tables: true, all_columns: true, masked_values: [], row_cap: null },
      daily_usd: { max: 10, left: 10 },
      may_ask: false,
      approve_above_rows: null,
      rate_per_minute: 60,
      runs_at_once: 8,
    });
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("tells the caller's own limits, rate and models; the first of its own is the default if it may not use the server's", async () => {
    const { caller } = await read(
      {
        models: ["claude-haiku-4-5", "claude-sonnet-5-5"],
        limits: { default: { budget_usd: 0.2 }, max: { budget_usd: 1, max_steps: 20 } },
        may_ask: true,
        approve_above_rows: 0,
        rate: { per_minute: 5 },
        runs_at_once: 2,
      },
      [],
      { ANTHROPIC_API_KEY: "sk-ant-x", QUERENT_MODEL: "offline" },
    );
    expect([...caller.models].sort()).toEqual(["claude-haiku-4-5", "claude-sonnet-5-5"]);
    expect(caller.default_model).toBe(caller.models[0]);
    expect([caller.limits.default.budget_usd, caller.limits.max.budget_usd, caller.limits.max.max_steps]).toEqual([
      0.2, 1, 20,
    ]);
    expect([caller.may_ask, caller.approve_above_rows]).toEqual([true, 0]);
    expect([caller.rate_per_minute, caller.runs_at_once]).toEqual([5, 2]);
  });

  it("what is left of the day is what is neither spent nor held, never less than nothing", async () => {
    const { ports } = await read({});
    const today = new Date(ports.now()).toISOString().slice(0, 10);
    expect((await read({ daily_usd: 5 }, [day(today)])).caller.daily_usd).toEqual({ max: 5, left: 3 });
    expect((await read({ daily_usd: 1 }, [day(today)])).caller.daily_usd).toEqual({ max: 1, left: 0 });
    expect((await read({ daily_usd: 5 }, [day("2020-01-01")])).caller.daily_usd).toEqual({ max: 5, left: 5 });
  });

  it("says that something is hidden, not what", async () => {
    const { caller, text } = await read({
      scopes: {
        tables: { deny: ["SecretTable"] },
        columns: { mask: ["Customer.SecretColumn"] },
        mask_values: ["email"],
        row_cap: 50,
      },
    });
    expect(caller.scopes).toEqual({ all_tables: false, all_columns: false, masked_values: ["email"], row_cap: 50 });
    expect(text).not.toContain("Secret");
    expect((await read({ scopes: { tables: { allow: ["Album"] } } })).caller.scopes.all_tables).toBe(false);
  });

  it("needs a key", async () => {
    const { request } = createHarness({
      QUERENT_CALLERS: JSON.stringify({ alice: { keys: [sha256(KEY)] } }),
    });
    expect((await request("/v1/caller")).status).toBe(401);
  });
});
