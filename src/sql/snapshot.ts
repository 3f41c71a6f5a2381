/**
 * The schema as last read, kept while the object lives: catalog and profile for verdicts, and the caller's view of them.
 * It is read again when a query shows that the schema has changed, and when it has grown old, since row counts drift.
 */
import { type Catalog, readCatalog } from "./catalog.ts";
import type { DatabaseConnection } from "./connection.ts";
import { type Profile, readProfile } from "./profile.ts";
import type { Retry } from "./retry.ts";
import { type DatabaseSchema, toSchema } from "./schema.ts";
import type { Scopes } from "./scopes.ts";

export interface Snapshot {
  readonly catalog: Catalog;
  readonly profile: Profile;
  readonly schema: DatabaseSchema;
  readonly readAt: number;
}

export interface Snapshots {
  /** The snapshot, read first if there is none, if it is old, or if it is said to be stale. */
  read(connection: DatabaseConnection, retry: Retry, isStale: boolean): Promise<Snapshot>;
  /** The last one read, without reading. */
  last(): Snapshot | null;
}

/** Age after which counts are read anew: longer than any one run needs, short for a table that fills. */
const SNAPSHOT_AGE_MS_MAX = 300_000;

export function createSnapshots(scopes: Scopes, now: () => number): Snapshots {
  let last: Snapshot | null = null;
  let reading: Promise<Snapshot> | null = null;

  async function readNow(connection: DatabaseConnection, retry: Retry, fresh: Snapshot | null): Promise<Snapshot> {
    const catalog = await retry(() => readCatalog(connection));
    const isSame = fresh !== null && fresh.catalog.cookie === catalog.cookie;
    const profile = isSame ? fresh.profile : await retry(() => readProfile(connection, catalog));
    last = { catalog, profile, schema: toSchema(catalog, profile, scopes), readAt: now() };
    return last;
  }

  return {
    async read(connection, retry, isStale) {
      const fresh = last !== null && now() - last.readAt < SNAPSHOT_AGE_MS_MAX ? last : null;
      if (fresh !== null && !isStale) return fresh;
      // Queries of one step run side by side: they share one reading.
      reading ??= readNow(connection, retry, fresh).finally(() => {
        reading = null;
      });
      return reading;
    },
    last: () => last,
  };
}
