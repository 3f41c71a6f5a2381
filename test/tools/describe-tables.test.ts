import { describe, expect, it } from "vitest";
import { observationSchema } from "../../src/agent/observation.ts";
import { byteLength } from "../../src/lib/bytes.ts";
import { createDescribeTablesTool } from "../../src/tools/describe-tables.ts";
import { columnOf, databaseWith, runTool, tableOf } from "./world.ts";

const ALBUM = tableOf("Album", [
  columnOf("AlbumId", { keyPosition: 1 }),
  columnOf("ArtistId", { notNull: true, references: { table: "Artist", column: "ArtistId" } }),
]);
const TABLES = [ALBUM, tableOf("Artist", [columnOf("ArtistId")]), tableOf("Order Details", [columnOf("Order ID")])];

const describing = async (tables: string[], schema = TABLES) => {
  const tool = createDescribeTablesTool(databaseWith({ schema: async () => ({ tables: schema }) }));
  const output = await runTool(tool, { tables });
  expect(observationSchema.safeParse(output.observation).success).toBe(true);
  expect(output).toMatchObject({ rowsRead: 0, query: null });
  return output.observation;
};

describe("describe_tables", () => {
  it("gives the text form that the prompt uses, in the order asked for", async () => {
    expect(await describing(["artist", "ALBUM"])).toEqual({
      status: "success",
      summary: "2 of 2 tables described.",
      data: {
        schema:
          "table Artist (3 rows)\n  ArtistId INTEGER\ntable Album (3 rows)\n  AlbumId INTEGER primary key\n  ArtistId INTEGER not null -> Artist.ArtistId",
      },
      next_actions: [],
      artifacts: [],
    });
  });

  it("a name with a space is found, and quoted in the text", async () => {
    const { data } = await describing(["order details"]);
    expect(data.schema).toBe('table "Order Details" (3 rows)\n  "Order ID" INTEGER');
  });

  it("C25: a slip in a name is met with the nearest ones", async () => {
    const observation = await describing(["Albums"]);
    expect(observation).toMatchObject({
      status: "error",
      summary: 'There is no table "Albums". Did you mean Album?',
      next_actions: ["Find the name with list_tables."],
    });
  });

  it("an invented name leads to list_tables", async () => {
    expect((await describing(["weather_station"])).summary).toBe(
      'There is no table "weather_station". Find the name with list_tables.',
    );
  });

  it("what exists is described beside what does not", async () => {
    const observation = await describing(["Album", "Artists"]);
    expect(observation).toMatchObject({
      status: "warning",
      summary: "1 of 2 tables described.",
      next_actions: ['There is no table "Artists". Did you mean Artist?'],
    });
  });

  it("C22: what does not fit is left for the next call, and said", async () => {
    const wide = Array.from({ length: 20 }, (_, index) =>
      tableOf(
        `t${index}`,
        Array.from({ length: 60 }, (_inner, column) => columnOf(`a_long_column_name_${column}`)),
      ),
    );
    const observation = await describing(
      wide.map(({ name }) => name),
      wide,
    );
    expect(observation.status).toBe("warning");
    expect(observation.next_actions).toEqual(["Not all of them fit: ask again for the rest."]);
    expect(byteLength(String(observation.data.schema))).toBeLessThanOrEqual(10_000);
    expect(observation.summary).toMatch(/^[1-9] of 20 tables described\.$/);
  });

  it("a table too wide for its sample values is described without them", async () => {
    const values = Array.from({ length: 8 }, (_, index) => `value number ${index} of this column`);
    const wide = tableOf(
      "wide",
      Array.from({ length: 100 }, (_, index) => columnOf(`column_${index}`, { values })),
    );
    const observation = await describing(["wide"], [wide]);
    expect(observation).toMatchObject({ status: "success", summary: "1 of 1 tables described." });
    expect(observation.data.schema).toContain("column_99 INTEGER");
    expect(observation.data.schema).not.toContain("values:");
  });

  it.each([[{}], [{ tables: [] }], [{ tables: "Album" }], [{ tables: [""] }], [{ tables: Array(21).fill("x") }]])(
    "A15: %j is refused",
    (input) => {
      expect(createDescribeTablesTool(databaseWith({})).check(input).ok).toBe(false);
    },
  );
});
