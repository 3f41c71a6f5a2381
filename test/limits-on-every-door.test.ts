/**
 * Limits on every door: 0, -1, NaN, 1e999, "5", null, 1e-9, 1e9 for each of the nine, as a caller, an operator or a person
 * at the command line may write them. Nothing means unlimited, and nothing is taken for something else.
 */
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX, type LimitName } from "../src/agent/limits.ts";
import { parseAskArguments } from "../src/cli/arguments.ts";
import { ConfigError } from "../src/config/variables.ts";
import { readConfig } from "../src/config.ts";
import { createHarness, readProblem } from "./http/harness.ts";

const NAMES = Object.keys(DEFAULT_LIMITS) as LimitName[];
/** Seconds and dollars may have parts; all others are counts. */
const PARTS: readonly LimitName[] = ["wall_clock_s", "step_timeout_s", "budget_usd"];
/** JSON texts that are no limit for any name. NaN and Infinity are no JSON at all. */
const NEVER = ["0", "-1", "NaN", "Infinity", "1e999", "-1e999", '"5"', "null", "true", "[]", "{}"];

const limitsText = (name: string, value: string): string => `{"${name}": ${value}}`;

async function stoppedRun() {
  const harness = createHarness();
  const id = await harness.ask({ limits: { max_steps: 3 } });
  harness.runs.get(id)?.end("stopped", "max_steps");
  return { ...harness, id };
}

const HTTP_DOORS: { readonly [door: string]: (limits: string) => Promise<Response> } = {
  "POST /v1/runs": (limits) => createHarness().post("/v1/runs", `{"question": "How many?", "limits": ${limits}}`),
  "POST /v1/estimate": (limits) =>
    createHarness().post("/v1/estimate", `{"question": "How many?", "limits": ${limits}}`),
  "POST /v1/runs/:id/continue": async (limits) => {
    const { post, id } = await stoppedRun();
    return post(`/v1/runs/${id}/continue`, `{"limits": ${limits}}`);
  },
  "POST /v1/runs/:id/fork": async (limits) => {
    const { post, id } = await stoppedRun();
    return post(`/v1/runs/${id}/fork`, `{"limits": ${limits}}`);
  },
  "POST /v1/runs/:id/again": async (limits) => {
    const { post, id } = await stoppedRun();
    return post(`/v1/runs/${id}/again`, `{"limits": ${limits}}`);
  },
};

describe.each(Object.keys(HTTP_DOORS))("%s", (door) => {
  const send = (name: string, value: string): Promise<Response> => {
    const knock = HTTP_DOORS[door];
    if (knock === undefined) throw new Error("a door of the list");
    return knock(limitsText(name, value));
  };

  it.each(NAMES)("%s: what is no limit is 400, and starts nothing", async (name) => {
    for (const value of NEVER) {
      const response = await send(name, value);
      expect([value, response.status]).toEqual([value, 400]);
      const { errors, detail } = await readProblem(response);
      // NaN and Infinity are no JSON: there the fault has a place, and no field.
      if (!/NaN|Infinity/.test(value)) expect(errors?.[0]?.pointer).toBe(`#/limits/${name}`);
      else expect(detail ?? errors?.[0]?.detail).toMatch(/line 1, column/);
    }
  });

  it.each(NAMES)("%s: 1e-9 is a part of a second or a dollar, and no count", async (name) => {
    const { status } = await send(name, "1e-9");
    if (PARTS.includes(name)) expect(status).not.toBe(400);
    else expect(status).toBe(400);
  });

  it.each(NAMES)("%s: 1e9 is 422, and names the most that this caller may ask", async (name) => {
    const response = await send(name, "1e9");
    expect(response.status).toBe(422);
    expect(JSON.stringify(await readProblem(response))).toContain(String(DEFAULT_LIMITS_MAX[name]));
  });

  it("a name that is no limit is 400: a slip never means the default", async () => {
    expect((await send("max_step", "5")).status).toBe(400);
  });
});

describe("max_steps", () => {
  const ask = async (limits?: object) => {
    const response = await createHarness().post("/v1/runs", { question: "How many?", ...(limits && { limits }) });
    const body = (await response.json()) as { limits?: { max_steps: number }; detail?: string };
    return [response.status, body.limits?.max_steps ?? body] as const;
  };

  it("G13: absent is the default, 0 and -1 are refused, 1 is one step, and 10,000 is too much, said and not lowered", async () => {
    expect(await ask()).toEqual([202, 12]);
    expect((await ask({ max_steps: 0 }))[0]).toBe(400);
    expect((await ask({ max_steps: -1 }))[0]).toBe(400);
    expect(await ask({ max_steps: 1 })).toEqual([202, 1]);
    const [status, problem] = await ask({ max_steps: 10_000 });
    expect(status).toBe(422);
    expect(JSON.stringify(problem)).toContain("128");
  });
});

const WHSEC = `whsec_${btoa("x".repeat(32))}`;
const HASH = `sha256:${"ab".repeat(32)}`;
const SOURCE = `"scheme": "standard", "secrets": ["${WHSEC}"], "question": "/q"`;

/** Each setting in which an operator writes limits, around one of them. */
const SETTINGS: { readonly [setting: string]: (limits: string) => object } = {
  "QUERENT_LIMITS, default": (limits) => ({ QUERENT_LIMITS: `{"default": ${limits}}` }),
  "QUERENT_LIMITS, max": (limits) => ({ QUERENT_LIMITS: `{"max": ${limits}}` }),
  "QUERENT_CALLERS, default": (limits) => ({
    QUERENT_CALLERS: `{"a": {"keys": ["${HASH}"], "limits": {"default": ${limits}}}}`,
  }),
  "QUERENT_CALLERS, max": (limits) => ({
    QUERENT_CALLERS: `{"a": {"keys": ["${HASH}"], "limits": {"max": ${limits}}}}`,
  }),
  "WEBHOOK_SOURCES, max": (limits) => ({ WEBHOOK_SOURCES: `{"a": {${SOURCE}, "limits": {"max": ${limits}}}}` }),
  "SLACK_CALLER, default": (limits) => ({
    SLACK_SIGNING_SECRET: "0123456789abcdef0123456789abcdef",
    SLACK_CALLER: `{"teams": ["T01"], "limits": {"default": ${limits}}}`,
  }),
};

describe.each(Object.keys(SETTINGS))("%s", (setting) => {
  const read = (name: string, value: string) => readConfig(SETTINGS[setting]?.(limitsText(name, value)) ?? {});

  it.each(NAMES)("%s: what is no limit stops the start, and the message names the setting", (name) => {
    for (const value of NEVER) {
      expect(() => read(name, value), value).toThrow(ConfigError);
      expect(() => read(name, value), value).toThrow(setting.slice(0, setting.indexOf(",")));
    }
  });

  it.each(NAMES)("%s: a count of 1e-9 stops the start, and one of 1 does not", (name) => {
    if (!PARTS.includes(name)) expect(() => read(name, "1e-9")).toThrow(ConfigError);
    expect(() => read(name, "1")).not.toThrow();
  });
});

describe("npm run ask", () => {
  const FLAGS = ["--budget", "--max-steps"];
  it.each(FLAGS)("%s: what is no limit is refused in one sentence that repeats it", (flag) => {
    for (const value of ["0", "-1", "NaN", "1e999", "null", "Infinity", '"5"', ""]) {
      const parsed = parseAskArguments([`${flag}=${value}`, "How many?"]);
      expect([value, parsed.ok]).toEqual([value, false]);
    }
  });

  it("amounts are plain numbers: 1e-9 and 1e9 are refused; the worker knows the most that may be asked", () => {
    for (const flag of FLAGS) {
      expect(parseAskArguments([`${flag}=1e-9`, "How many?"]).ok).toBe(false);
      expect(parseAskArguments([`${flag}=1e9`, "How many?"]).ok).toBe(false);
      expect(parseAskArguments([`${flag}=100000000`, "How many?"]).ok).toBe(true);
    }
    expect(parseAskArguments(["--budget=0.000000001", "How many?"]).ok).toBe(true);
  });
});
