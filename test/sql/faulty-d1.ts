/**
 * Real D1 behind a door that misbehaves on order: fails calls with given errors, changes the text of a statement on its
 * way in, or counts what passes. Everything else is D1's own.
 */
import { env } from "cloudflare:workers";

export interface Faults {
  /** Errors thrown by the next calls that reach the database, in order; `null` lets one pass. */
  readonly errors?: (Error | null)[];
  /** Rewrites every statement's text. */
  readonly rewrite?: (sql: string) => string;
  /** Runs before each batch is sent. */
  readonly beforeBatch?: (statements: readonly string[]) => Promise<void>;
}

export interface FaultyD1 {
  readonly d1: D1Database;
  /** Texts of each batch and each single statement, in order. */
  readonly calls: (readonly string[])[];
  /** Constraints or bookmarks that sessions were opened with. */
  readonly sessions: string[];
}

export function faultyD1(faults: Faults = {}): FaultyD1 {
  const calls: (readonly string[])[] = [];
  const sessions: string[] = [];
  const errors = faults.errors ?? [];
  const texts = new WeakMap<object, string>();

  function trip(): void {
    const error = errors.shift();
    if (error instanceof Error) throw error;
  }

  function wrap<Inner extends Pick<D1Database, "prepare" | "batch">>(inner: Inner) {
    return {
      prepare(sql: string) {
        const statement = inner.prepare(faults.rewrite?.(sql) ?? sql);
        texts.set(statement, sql);
        const raw = statement.raw.bind(statement);
        return Object.assign(statement, {
          raw: async (options: { columnNames: true }) => {
            calls.push([sql]);
            trip();
            return raw(options);
          },
        });
      },
      async batch<T>(statements: D1PreparedStatement[]) {
        const sqls = statements.map((statement) => texts.get(statement) ?? "");
        calls.push(sqls);
        trip();
        await faults.beforeBatch?.(sqls);
        return inner.batch<T>(statements);
      },
    };
  }

  const d1 = {
    ...wrap(env.DB),
    withSession(constraint?: string) {
      sessions.push(constraint ?? "");
      const session = env.DB.withSession(constraint);
      return { ...wrap(session), getBookmark: () => session.getBookmark() };
    },
  } as unknown as D1Database;
  return { d1, calls, sessions };
}
