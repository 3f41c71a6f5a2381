/** The doors as the workers project has them configured: Slack, callbacks to one origin, one source of webhooks. */

export const SLACK_SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
export const SLACK_TOKEN = "xoxb-test";
export const SLACK_ORIGIN = "https://hooks.slack.com";
export const CALLBACK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
export const CALLBACK_ORIGIN = "https://receiver.example.com";

/** Room for a burst: the limits of callers are tested where they are made. */
export const DOOR_SETTINGS: Readonly<Record<string, string>> = {
  SLACK_SIGNING_SECRET: SLACK_SECRET,
  SLACK_BOT_TOKEN: SLACK_TOKEN,
  SLACK_CALLER: JSON.stringify({
    teams: ["T0001"],
    daily_usd: 10_000,
    rate: { per_minute: 10_000 },
    runs_at_once: 1_000,
  }),
  WEBHOOK_SIGNING_SECRET: CALLBACK_SECRET,
  CALLBACK_ORIGINS: CALLBACK_ORIGIN,
  WEBHOOK_SOURCES: JSON.stringify({
    form: { scheme: "standard", secrets: [CALLBACK_SECRET], question: "How many {{/data/things}} are there?" },
  }),
};
