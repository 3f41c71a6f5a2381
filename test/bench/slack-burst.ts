/**
 * How fast a burst of slash commands is acknowledged and answered, over real HTTP on loopback, from a cold start:
 * `node test/bench/slack-burst.ts [COMMANDS]`. Slack waits three seconds for an acknowledgement.
 */
import { startSlackHost, until } from "../fakes/slack-host.ts";

const commands = Number(process.argv[2] ?? 300);
const world = await startSlackHost();
try {
  const first = await world.ask("How many albums are there?", "UFIRST");
  console.log(`first command after the start: acknowledged in ${first.acknowledgedMs.toFixed(0)} ms`);
  const startedAt = performance.now();
  const asked = await Promise.all(
    Array.from({ length: commands }, (_, index) => world.ask("How many albums are there?", `U${index}`)),
  );
  const waits = asked.map(({ acknowledgedMs }) => acknowledgedMs).sort((a, b) => a - b);
  const at = (share: number): string =>
    (waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0).toFixed(0);
  console.log(
    `${commands} at once: acknowledged in ${at(0.5)} ms (median), ${at(0.95)} ms (95 %), ${at(1)} ms (slowest)`,
  );
  await until(() => asked.every(({ message }) => message.replaced > 0));
  console.log(`all answered after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  const twice = asked.filter(({ message }) => message.replaced !== 1).length;
  console.log(`answered other than once: ${twice}; messages: ${world.slack.workspace.messages.length - 1}`);
} finally {
  await world.stop();
}
