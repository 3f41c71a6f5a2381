/** Three hundred questions at once from Slack: nothing is lost, nothing is answered twice. */
import { afterEach, expect, it, vi } from "vitest";
import { askInSlack, installOutside, until } from "./durable/outside.ts";
import { answeringWorld, installWorld } from "./durable/world.ts";

const COMMANDS = 300;
/** Machines differ; only the counts are judged. */
const TIMEOUT_MS = 180_000;

afterEach(() => {
  vi.restoreAllMocks();
});

it(
  "acknowledges 300 slash commands of a burst, and answers each exactly once in its own place",
  async () => {
    installWorld(answeringWorld());
    const outside = installOutside();
    const { workspace } = outside;
    const asked = await Promise.all(
      Array.from({ length: COMMANDS }, (_, index) =>
        askInSlack(outside, "How many albums are there?", { userId: `U${String(index).padStart(4, "0")}` }),
      ),
    );
    expect(new Set(asked.map(({ runId }) => runId)).size).toBe(COMMANDS);
    await until(() => asked.every(({ message }) => message.replaced > 0));
    expect(workspace.messages).toHaveLength(COMMANDS);
    for (const { message, issued } of asked) {
      expect([message.replaced, workspace.usesOf(issued.responseUrl)]).toEqual([1, 1]);
      expect(JSON.stringify(message.blocks)).toContain('"One."');
    }
    expect(workspace.posts.filter((post) => post.status !== 200)).toEqual([]);
  },
  TIMEOUT_MS,
);
