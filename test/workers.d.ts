/// <reference types="@cloudflare/vitest-plugin/types" />
/** What tests in workerd find in `env`: the bindings of wrangler.toml, and the demo database's migrations. */
declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import("../src/index.ts");
  }
  interface Env {
    DB: D1Database;
    RUNS: DurableObjectNamespace;
    CALLERS: DurableObjectNamespace;
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
  }
}
