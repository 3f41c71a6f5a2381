/** Settings of a run with a callback that was asked in Slack, and its outbox. */
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX, resolveLimits } from "../../src/agent/limits.ts";
import { type Outbox, readOutbox } from "../../src/durable/outbox.ts";
import type { OutboxEntry } from "../../src/durable/outbox-entry.ts";
import type { RunSettings } from "../../src/durable/settings.ts";

export const NOW = Date.UTC(2026, 10, 30, 12);
export const MINUTE = 60_000;
export const URL = "https://hooks.slack.com/commands/T/1/x";

const limits = resolveLimits({}, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX);
if (!limits.ok) throw new Error("the defaults fit");
export const SETTINGS: RunSettings = {
  id: "run_a",
  question: "q",
  caller: "slack:app",
  mode: "auto",
  grounding: "report",
  model: "offline",
  tools: [],
  limits: limits.value,
  scopes: {},
  callbackUrl: "https://example.com/hook",
  inheritedNanoUsd: 0,
  slack: {
    teamId: "T0001",
    channelId: "C0001",
    userId: "U0001",
    responseUrl: URL,
    receivedAt: NOW,
    visibility: "ephemeral",
    publicOrigin: "https://querent.example.com",
    working: null,
  },
};

/** `asked`: the id of what the run waits for a person to allow. */
export function source(
  text: string | null = null,
  endedAt: number | null = null,
  settings = SETTINGS,
  asked: string | null = null,
) {
  const ending = endedAt === null ? null : { at: endedAt };
  const waiting = asked === null ? null : { kind: "approval" };
  const approval = asked === null ? null : { id: asked };
  return { settings, load: () => ({ ending, waiting, approval, inquiry: null }), fact: () => text };
}

export function entryOf(id: string, outbox: Outbox = readOutbox(source())): OutboxEntry {
  const entry = outbox.find((candidate) => candidate.id === id);
  if (entry === undefined) throw new Error(`no entry ${id}`);
  return entry;
}
