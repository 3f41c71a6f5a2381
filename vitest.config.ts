/**
 * Two projects: `unit` runs in Node and needs nothing; `workers` runs in real workerd with D1. No retries anywhere.
 */
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: { name: "unit", include: ["test/**/*.test.ts"], exclude: ["test/**/*.workers.test.ts"] },
      },
      {
        plugins: [
          cloudflareTest({
            miniflare: {
              compatibilityDate: "2026-10-01",
              compatibilityFlags: ["nodejs_compat"],
              d1Databases: ["DB"],
            },
          }),
        ],
        test: { name: "workers", include: ["test/**/*.workers.test.ts"] },
      },
    ],
  },
});
