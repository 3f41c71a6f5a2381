import { describe, expect, it } from "vitest";
import { observationSchema } from "../../src/agent/observation.ts";
import { createListTablesTool } from "../../src/tools/list-tables.ts";
import { columnOf, databaseWith, runTool, tableOf } from "./world.ts";

const list = async (input: object, tables: ReturnType<typeof tableOf>[]) => {
  const output = await runTool(createListTablesTool(databaseWith({ schema: async () => ({ tables }) })), input);
  expect(observationSchema.safeParse(output.observation).success).toBe(true);
  expect(output).toMatchObject({ rowsRead: 0, query: null });
  return output.observation;
};
const names = (observation: Awaited<ReturnType<typeof list>>) =>
  (observation.data.tables as { name: string }[]).map(({ name }) => name);

const FEW = [
  tableOf("Album", [columnOf("AlbumId"), columnOf("Title")]),
  tableOf("Artist", [columnOf("ArtistId")], { rows: null }),
  tableOf("Sales by Year", [columnOf("ShippedDate")], { kind: "view", rows: null }),
];
const many = (count: number) => Array.from({ length: count }, (_, index) => tableOf(`t${index}`));

describe("list_tables", () => {
  it("gives name, kind, rows and the number of columns", async () => {
    const observation = await list({}, FEW);
    expect(observation.status).toBe("success");
    expect(observation.summary).toBe("3 of 3 tables and views, page 1 of 1.");
    expect(observation.data).toEqual({
      tables: [
        { name: "Album", kind: "table", rows: 3, columns: 2 },
        { name: "Artist", kind: "table", rows: null, columns: 1 },
        { name: "Sales by Year", kind: "view", rows: null, columns: 1 },
      ],
      page: 1,
      pages: 1,
      total_tables: 3,
    });
  });

  it.each([
    ["art", ["Artist"]],
    ["ALBUM", ["Album"]],
    [" sales ", ["Sales by Year"]],
    ["title", ["Album"]],
    ["id", ["Album", "Artist"]],
    ["", ["Album", "Artist", "Sales by Year"]],
    ["%", []],
  ])("searching for %j in names of tables and columns finds %j", async (search, found) => {
    const observation = await list({ search }, FEW);
    expect(names(observation)).toEqual(found);
    expect(observation.summary).toContain(`for "${search}"`);
  });

  it.each([
    [50, 1, 50, 1],
    [51, 1, 50, 2],
    [51, 2, 1, 2],
    [120, 3, 20, 3],
  ])("of %s tables page %s has %s, of %s pages", async (count, page, shown, pages) => {
    const observation = await list({ page }, many(count));
    expect(names(observation)).toHaveLength(shown);
    expect(observation.data).toMatchObject({ page, pages, total_tables: count });
    expect(names(observation)[0]).toBe(`t${(page - 1) * 50}`);
  });

  it.each([
    ["a page that does not exist", { page: 2 }, FEW, "Ask for an earlier page."],
    ["a word that no name holds", { search: "zebra" }, FEW, "Try a shorter or another word, or no search at all."],
    ["no tables", {}, [], "The database has no tables: say so in final_answer."],
  ])("%s is a warning that says what to do", async (_what, input, tables, advice) => {
    const observation = await list(input, [...tables]);
    expect(observation).toMatchObject({ status: "warning", next_actions: [advice], data: { tables: [] } });
  });

  it.each([[{ page: 0 }], [{ page: 1.5 }], [{ search: "x".repeat(101) }], [{ like: "x" }]])(
    "A15: %j is refused",
    (input) => {
      expect(createListTablesTool(databaseWith({})).check(input).ok).toBe(false);
    },
  );
});
