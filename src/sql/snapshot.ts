/**
 * The schema as last read, kept while the object lives: catalog and profile for verdicts, and the caller's view of them.
 * It is read again when a query shows that the schema has changed, and when it has grown old, since row counts drift.
 *
 * Objects of one isolate share what they have read over one binding, for a minute: reading it all takes some 15 ms of
 * CPU, checking that the schema is still the same one round trip. What is shared is before any caller's scopes.
 */
import { type Catalog, COOKIE_SQL, readCatalog, toCookie } from "./catalog.ts";
import { type DatabaseConnection, runBatch } from "./connection.ts";
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

/** Age up to which a new object takes over what another one has read: short, since it is shown to a model. */
const SHARED_AGE_MS_MAX = 60_000;

type Shared = Omit<Snapshot, "schema">;

/** By binding. */
const shared = new WeakMap<object, Shared>();

/** `binding`: what is shared is shared among all that read over it. */
export function createSnapshots(scopes: Scopes, now: () => number, binding: object): Snapshots {
  let last: Snapshot | null = null;
  let reading: Promise<Snapshot> | null = null;

  async function takeShared(connection: DatabaseConnection, retry: Retry): Promise<Shared | null> {
    const found = shared.get(binding);
    if (found === undefined || now() - found.readAt >= SHARED_AGE_MS_MAX) return null;
    const [cookie = []] = await retry(() => runBatch(connection, [COOKIE_SQL]));
    return toCookie(cookie) === found.catalog.cookie ? found : null;
  }

  async function readNow(connection: DatabaseConnection, retry: Retry, fresh: Snapshot | null): Promise<Snapshot> {
    const taken = fresh === null ? await takeShared(connection, retry) : null;
    if (taken !== null) {
      last = { ...taken, schema: toSchema(taken.catalog, taken.profile, scopes) };
      return last;
    }
    const catalog = await retry(() => readCatalog(connection));
    const isSame = fresh !== null && fresh.catalog.cookie === catalog.cookie;
    const profile = isSame ? fresh.profile : await retry(() => readProfile(connection, catalog));
    last = { catalog, profile, schema: toSchema(catalog, profile, scopes), readAt: now() };
    shared.set(binding, { catalog, profile, readAt: last.readAt });
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
