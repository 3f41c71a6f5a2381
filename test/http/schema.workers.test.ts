/** `GET /v1/schema` over a real D1: what a caller sees is what its scopes let it see. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { databaseSchema } from "../../src/http/schema.ts";
import { createHarness, KEY, OTHER_KEY, sha256 } from "./harness.ts";

const SCOPES = { tables: { deny: ["Invoice"] }, columns: { deny: ["Customer.Email"], mask: ["Customer.Country"] } };
const CALLERS = JSON.stringify({
  narrow: { keys: [sha256(KEY)], scopes: SCOPES },
  wide: { keys: [sha256(OTHER_KEY)] },
});

async function read(key: string, d1: D1Database = env.DB): Promise<Response> {
  const { app, bindings, context } = createHarness({ QUERENT_CALLERS: CALLERS });
  return app.request("/v1/schema", { headers: { authorization: `Bearer ${key}` } }, { ...bindings, DB: d1 }, context);
}

async function tablesOf(key: string) {
  return databaseSchema.parse(await (await read(key)).json()).tables;
}

beforeAll(async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

describe("GET /v1/schema", () => {
  it("shows tables, columns, keys and values, and none of the platform's own tables", async () => {
    const tables = await tablesOf(OTHER_KEY);
    expect(tables.map((table) => table.name)).toContain("Invoice");
    expect(tables.map((table) => table.name).filter((name) => /^(_cf_|sqlite_|d1_)/.test(name))).toEqual([]);
    const album = tables.find((table) => table.name === "Album");
    expect(album).toMatchObject({ kind: "table", rows: 347, has_more_rows: false });
    expect(album?.columns.map(({ name, primary_key, references }) => [name, primary_key, references])).toEqual([
      ["AlbumId", 1, null],
      ["Title", 0, null],
      ["ArtistId", 0, { table: "Artist", column: "ArtistId" }],
    ]);
    const media = tables.find((table) => table.name === "MediaType")?.columns.find((column) => column.name === "Name");
    expect(media?.values).toContain("MPEG audio file");
  });

  it("shows nothing that is denied, no value that is masked, and no way to what is hidden", async () => {
    const tables = await tablesOf(KEY);
    expect(tables.map((table) => table.name)).not.toContain("Invoice");
    const customer = tables.find((table) => table.name === "Customer");
    expect(customer?.columns.map((column) => column.name)).not.toContain("Email");
    expect(customer?.columns.find((column) => column.name === "Country")).toMatchObject({ masked: true, values: null });
    const line = tables.find((table) => table.name === "InvoiceLine");
    expect(line?.columns.find((column) => column.name === "InvoiceId")?.references).toBe(null);
  });

  it("may be kept by the browser of one key for a minute, and by nobody else", async () => {
    const { headers } = await read(KEY);
    expect(headers.get("cache-control")).toBe("private, max-age=60");
    expect(headers.get("vary")?.toLowerCase()).toContain("authorization");
  });

  it("needs a key", async () => {
    expect((await read("qk_unknown")).status).toBe(401);
  });

  it("says that the database could not be read, without the reason, which may quote a row", async () => {
    const refuse = () => Promise.reject(new Error("D1_ERROR: secret row"));
    const broken = { prepare: (sql: string) => env.DB.prepare(sql), batch: refuse } as unknown as D1Database;
    const response = await read(KEY, broken);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(await response.text()).not.toContain("secret row");
  });
});
