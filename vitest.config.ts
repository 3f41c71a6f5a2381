/**
 * Three projects: `unit` runs in Node and needs nothing; `workers` runs in real workerd with D1 and the object classes of
 * wrangler.toml, from the same entry as production; `browser` looks at the page in a real Chromium, if there is one.
 * No retries anywhere.
 */
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { DOOR_SETTINGS } from "./test/fakes/door-settings.ts";

/** No test is timed: a busy machine is no failure. These only end what hangs. */
const PATIENCE = { testTimeout: 240_000, hookTimeout: 240_000 };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.workers.test.ts", "test/**/*.browser.test.ts"],
          ...PATIENCE,
        },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: "./wrangler.toml" },
            // The demo database, for tests that fill D1 with it: `applyD1Migrations(env.DB, env.TEST_MIGRATIONS)`.
            miniflare: {
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations("./migrations"),
                QUERENT_LOCAL: "1",
                ...DOOR_SETTINGS,
              },
            },
          })),
        ],
        test: {
          name: "workers",
          include: ["test/**/*.workers.test.ts"],
          globalSetup: ["test/fakes/fake-anthropic-setup.ts"],
          ...PATIENCE,
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/**/*.browser.test.ts"],
          globalSetup: ["test/web/browser-setup.ts"],
          // A browser and a worker each: one file after the other, after all others.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          ...PATIENCE,
        },
      },
    ],
  },
});
