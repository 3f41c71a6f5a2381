/**
 * `node test/bench/cost-table.ts`: dollars a question by model and size of the schema, from metered tokens (the strict
 * fake's tokenizer and cache) and the built-in price table: three calls (a query, a second look, the answer), no thinking.
 * What a model really writes differs; real runs say what they cost in their receipts.
 */
import { systemText } from "../../src/agent/prompt.ts";
import { runStep } from "../../src/agent/step.ts";
import { createAnthropicModel } from "../../src/models/anthropic.ts";
import { lookUpModel } from "../../src/models/prices.ts";
import { text, toolUse } from "../fakes/anthropic-script.ts";
import { startFakeAnthropic } from "../fakes/fake-anthropic.ts";
import { createMemoryRun, finalAnswerTool, queryTool } from "../fakes/memory-run.ts";

const MODELS = ["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5-2"];
const SIZES = { "5 tables": 5, "11 tables (demo)": 11, "40 tables": 40, "as much as is shown (16 kB)": 110 };
const table = (index: number) =>
  `table Table${index} (${index * 100} rows)\n  Table${index}Id INTEGER primary key\n  Name NVARCHAR(120) not null\n` +
  `  Country TEXT values: 'Canada', 'USA', 'Norway'\n  OtherId INTEGER not null -> Table${index}.Table${index}Id`;
const rows = queryTool((sql) => ({
  columns: ["Country", "Spent"],
  rows: Array.from({ length: 8 }, (_, n) => [`${sql.length} ${n}`, n * 7.5]),
}));
const sql =
  "SELECT c.Country, sum(i.Total) AS Spent FROM Invoice i JOIN Customer c USING (CustomerId) GROUP BY 1 ORDER BY 2 DESC LIMIT 8";

for (const [size, tables] of Object.entries(SIZES)) {
  const cells: string[] = [];
  for (const id of MODELS) {
    const info = lookUpModel(id);
    if (!info.ok) throw new Error(info.error);
    const fake = await startFakeAnthropic({
      script: [
        [text("I add up the invoices by country."), toolUse("execute_read_only_sql", { sql })],
        toolUse("execute_read_only_sql", { sql: `${sql} OFFSET 1` }),
        toolUse("final_answer", {
          answer: "Customers from the USA have spent the most: $523.06, before Canada with $303.96.",
          results: ["r1"],
        }),
      ],
    });
    const run = createMemoryRun(createAnthropicModel({ apiKey: fake.apiKey, baseUrl: fake.url, info: info.value }), {
      tools: [rows, finalAnswerTool],
      limits: { budget_usd: 5 },
    });
    const schema = Array.from({ length: tables }, (_, index) => table(index))
      .join("\n")
      .slice(0, 16_000);
    const pinned = { ...run.ports.journal.pinned(), system: systemText(schema) };
    const ports = { ...run.ports, journal: { ...run.ports.journal, pinned: () => pinned } };
    while ((await runStep(ports)).kind !== "finished") run.clock.now += 1;
    cells.push(`$${(run.state().usage.costNanoUsd / 1e9).toFixed(5)}`);
    await fake.close();
  }
  console.log(`| ${size} | ${cells.join(" | ")} |`);
}
console.log(`| | ${MODELS.join(" | ")} |`);
