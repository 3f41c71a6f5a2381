/**
 * The storage of a Durable Object in memory: real SQLite (Node's), one alarm, transactions that roll back. As much of it
 * as durable/ uses; numbers bind as floating point, as on the platform.
 */
import { DatabaseSync } from "node:sqlite";

export interface MemoryStorage extends DurableObjectStorage {
  /** For a look at what is stored. */
  readonly database: DatabaseSync;
}

export function createMemoryStorage(): MemoryStorage {
  let database = new DatabaseSync(":memory:");
  let alarm: number | null = null;
  const exec = (query: string, ...bindings: (string | number | null)[]) => {
    const rows = isScript(query) ? runScript(database, query) : database.prepare(query).all(...bindings);
    return {
      toArray: () => rows.map((row) => ({ ...row })),
      one: () => {
        if (rows.length !== 1) throw new Error(`Expected exactly one result from SQL query, but got ${rows.length}.`);
        return { ...rows[0] };
      },
    };
  };
  const storage = {
    get database() {
      return database;
    },
    sql: { exec },
    transactionSync: <T>(act: () => T): T => {
      database.exec("SAVEPOINT t");
      try {
        const value = act();
        database.exec("RELEASE t");
        return value;
      } catch (error) {
        database.exec("ROLLBACK TO t; RELEASE t");
        throw error;
      }
    },
    getAlarm: async () => alarm,
    setAlarm: async (at: number) => {
      alarm = at;
    },
    deleteAlarm: async () => {
      alarm = null;
    },
    deleteAll: async () => {
      database = new DatabaseSync(":memory:");
      alarm = null;
    },
    sync: async () => undefined,
  };
  // Only what is written above may be used: anything else fails at once.
  return storage as unknown as MemoryStorage;
}

function isScript(query: string): boolean {
  return /;\s*\S/.test(query) && !/^\s*(SELECT|INSERT|UPDATE|DELETE)/i.test(query);
}

function runScript(database: DatabaseSync, script: string): Record<string, never>[] {
  database.exec(script);
  return [];
}
