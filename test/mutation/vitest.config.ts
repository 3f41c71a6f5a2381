/** The tests that a mutant of the core must fail: those of the core itself, and the short half of the simulation. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["test/agent/**/*.test.ts", "test/mutation/**/*.test.ts"], watch: false },
});
