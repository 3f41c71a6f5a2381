/** The app over fake objects, asked as a client would ask it. */
import { createHash } from "node:crypto";
import { createApp } from "../../src/http/app.ts";
import { createWorld } from "../fakes/fake-run-object.ts";

export function sha256(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

export const KEY = "qk_test-key-of-alice-0000000000000000000000000";
export const OTHER_KEY = "qk_test-key-of-bob-00000000000000000000000000";

export const CALLERS = JSON.stringify({
  alice: { keys: [sha256(KEY)], limits: { max: { budget_usd: 1 } } },
  bob: { keys: [sha256(OTHER_KEY)] },
});

export function createHarness(variables?: Readonly<Record<string, unknown>>) {
  const world = createWorld(variables);
  const app = createApp(world.ports);
  const request = async (path: string, init: RequestInit = {}): Promise<Response> =>
    app.request(path, init, world.bindings, world.context);
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    request(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  /** Asks a question and gives back its run's id. */
  const ask = async (body: object = {}): Promise<string> => {
    const response = await post("/v1/runs", { question: "How many albums?", ...body });
    return ((await response.json()) as { id: string }).id;
  };
  return { ...world, app, request, post, ask };
}

export type Harness = ReturnType<typeof createHarness>;

export async function readProblem(response: Response): Promise<{
  status: number;
  code: string;
  detail: string;
  title: string;
  type: string;
  errors?: { detail: string; pointer?: string; parameter?: string; header?: string }[];
  [more: string]: unknown;
}> {
  return (await response.json()) as never;
}

/** As much of D1 as reading a schema takes. */
export function putDatabase(harness: Harness): void {
  // Loaded here alone: Node warns of it, once for each process.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL); INSERT INTO t VALUES (1, 'a')");
  const batch = async (statements: readonly { readonly sql: string }[]) =>
    statements.map(({ sql }) => ({ results: database.prepare(sql).all() }));
  Object.assign(harness.bindings, { DB: { prepare: (sql: string) => ({ sql }), batch } });
}
