/**
 * The tests that a mutant of the core must fail: those of the core itself. The simulation is left out for its length, and
 * so are the tests that make mutants of their own, from a source that is mutated already.
 */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["test/agent/**/*.test.ts"], exclude: ["test/agent/mutants.test.ts"], watch: false },
});
