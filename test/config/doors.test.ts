import { describe, expect, test } from "vitest";
import { isWebhookSecret } from "../../src/config/doors.ts";
import { ConfigError } from "../../src/config/variables.ts";
import { readConfig } from "../../src/config.ts";

const WHSEC = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const CALLERS = JSON.stringify({ ops: { keys: [], daily_usd: 3 } });
const SOURCE = { scheme: "standard", secrets: [WHSEC], question: "/data/question" };

function read(sources: unknown) {
  return readConfig({ WEBHOOK_SOURCES: JSON.stringify(sources), QUERENT_CALLERS: CALLERS }).webhookSources;
}

function messageOf(sources: unknown): string {
  try {
    read(sources);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  return "";
}

describe("WEBHOOK_SOURCES", () => {
  test("a source has a caller of its own, or names one", () => {
    const sources = read({
      alerts: { ...SOURCE, daily_usd: 1, prompt_cache: "1h" },
      forms: { ...SOURCE, caller: "ops" },
    });
    const own = { name: "webhook:alerts", dailyNanoUsdMax: 1_000_000_000, promptCache: "1h" };
    expect(sources.get("alerts")?.caller).toMatchObject(own);
    expect(sources.get("forms")?.caller).toMatchObject({ name: "ops", dailyNanoUsdMax: 3_000_000_000 });
  });

  test("only a source of GitHub's scheme may allow identical bodies; without a word none does", () => {
    const github = { ...SOURCE, scheme: "github", secrets: ["sixteen characters"] };
    const sources = read({ a: github, b: { ...github, allow_identical_bodies: true }, c: SOURCE });
    expect(["a", "b", "c"].map((name) => sources.get(name)?.allowsIdenticalBodies)).toEqual([false, true, false]);
    for (const allowed of [true, false]) {
      expect(messageOf({ a: { ...SOURCE, allow_identical_bodies: allowed } })).toMatch(/scheme github alone/);
    }
    expect(messageOf({ a: { ...github, allow_identical_bodies: "yes" } })).toMatch(/must be true or false/);
  });

  test.each([
    ["/data/question", [{ kind: "place", path: ["data", "question"] }]],
    ["/a~1b/~0", [{ kind: "place", path: ["a/b", "~"] }]],
    [
      "Why did {{ /data/metric }} fall by {{/data/by}}?",
      [
        { kind: "text", text: "Why did " },
        { kind: "place", path: ["data", "metric"] },
        { kind: "text", text: " fall by " },
        { kind: "place", path: ["data", "by"] },
        { kind: "text", text: "?" },
      ],
    ],
    ["How many orders today?", [{ kind: "text", text: "How many orders today?" }]],
  ])("the question %j is read into its parts", (question, parts) => {
    expect(read({ a: { ...SOURCE, question } }).get("a")?.question).toEqual(parts);
  });

  test.each([
    [{ a: { ...SOURCE, scheme: "slack" } }, /scheme/],
    [{ a: { ...SOURCE, secrets: [] } }, /secrets/],
    [{ a: { ...SOURCE, secrets: ["hunter2"] } }, /whsec_/],
    [{ a: { ...SOURCE, scheme: "github", secrets: ["hunter2"] } }, /16 characters/],
    [{ a: { ...SOURCE, question: "/a/~2" } }, /JSON pointers/],
    [{ a: { ...SOURCE, question: "Why {{data.metric}}?" } }, /JSON pointers/],
    [{ a: { ...SOURCE, question: "Why {{/data?" } }, /not closed/],
    [{ a: { ...SOURCE, caller: "nobody" } }, /QUERENT_CALLERS/],
    [{ a: { ...SOURCE, caller: "ops", daily_usd: 1 } }, /daily_usd/],
    [{ a: { ...SOURCE, approve_above_rows: 5 } }, /somebody who can answer/],
    [{ a: { ...SOURCE, may_ask: true } }, /"may_ask" needs somebody/],
    [{ a: { ...SOURCE, secret: "x" } }, /secret/],
    [{ "A B": SOURCE }, /name/],
  ])("B13: %j stops the start and repeats no secret", (sources, wanted) => {
    const message = messageOf(sources);
    expect(message).toContain("WEBHOOK_SOURCES");
    expect(message).toMatch(wanted);
    expect(message).not.toContain("hunter2");
  });
});

describe("isWebhookSecret", () => {
  test.each([
    [WHSEC, true],
    [`whsec_${btoa("x".repeat(64))}`, true],
    [`whsec_${btoa("x".repeat(65))}`, false],
    [`whsec_${btoa("x".repeat(23))}`, false],
    [WHSEC.slice("whsec_".length), false],
    [`${WHSEC} `, false],
    ["whsec_", false],
    ["whsec_????????????????????????????????", false],
  ])("%j: %s", (secret, expected) => {
    expect(isWebhookSecret(secret)).toBe(expected);
  });
});
