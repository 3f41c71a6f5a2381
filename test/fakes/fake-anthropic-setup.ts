/**
 * For vitest's globalSetup: one fake Messages API for a whole project, whose address tests inside workerd read with
 * `inject("fakeAnthropicUrl")`. Each test makes a lane of its own over HTTP (see fake-anthropic.ts).
 */
import type { FakeAnthropic } from "./fake-anthropic.ts";
import { startFakeAnthropic } from "./fake-anthropic.ts";

declare module "vitest" {
  interface ProvidedContext {
    fakeAnthropicUrl: string;
  }
}

let fake: FakeAnthropic | null = null;

export async function setup(project: { provide(key: "fakeAnthropicUrl", value: string): void }): Promise<void> {
  fake = await startFakeAnthropic();
  project.provide("fakeAnthropicUrl", fake.url);
}

export async function teardown(): Promise<void> {
  await fake?.stop();
}
