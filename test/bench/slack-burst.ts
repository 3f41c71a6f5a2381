/**
 * How fast a burst of slash commands is acknowledged and answered, over real HTTP on loopback, from a cold start.
 * Slack waits three seconds for an acknowledgement. `npm run bench -- --part burst` prints it.
 */
import { startSlackHost, until } from "../fakes/slack-host.ts";

export interface Burst {
  readonly commands: number;
  readonly first_ack_ms: number;
  readonly ack_p50_ms: number;
  readonly ack_p95_ms: number;
  readonly ack_max_ms: number;
  readonly all_answered_s: number;
  /** Commands whose message was not replaced exactly once, and messages that nobody asked for. */
  readonly lost_or_doubled: number;
}

export async function measureBurst(commands: number): Promise<Burst> {
  const world = await startSlackHost();
  try {
    const first = await world.ask("How many albums are there?", "UFIRST");
    const startedAt = performance.now();
    const asked = await Promise.all(
      Array.from({ length: commands }, (_, index) => world.ask("How many albums are there?", `U${index}`)),
    );
    const waits = asked.map(({ acknowledgedMs }) => acknowledgedMs).sort((a, b) => a - b);
    const at = (share: number): number =>
      Math.round(waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0);
    await until(() => asked.every(({ message }) => message.replaced > 0));
    const seconds = (performance.now() - startedAt) / 1_000;
    const wrong = asked.filter(({ message }) => message.replaced !== 1).length;
    const extra = Math.abs(world.slack.workspace.messages.length - 1 - commands);
    return {
      commands,
      first_ack_ms: Math.round(first.acknowledgedMs),
      ack_p50_ms: at(0.5),
      ack_p95_ms: at(0.95),
      ack_max_ms: at(1),
      all_answered_s: Math.round(seconds * 10) / 10,
      lost_or_doubled: wrong + extra,
    };
  } finally {
    await world.stop();
  }
}
