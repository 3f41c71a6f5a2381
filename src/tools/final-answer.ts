/**
 * `final_answer`: ends the run with an answer and its evidence. Checks that every reference and every cited cell exists;
 * whether the run accepts the answer (grounding, failed neighbours) is the loop's decision. A chart that cannot be is left
 * out and said to be (chart-input.ts): it never costs the answer.
 */
import * as z from "zod";
import { failure, success, warning } from "../agent/observation.ts";
import { type Citation, defineTool, type Tool, type ToolContext } from "../agent/tool.ts";
import { chartField, parseChart } from "./chart-input.ts";

const DESCRIPTION = `Ends the run with the answer. Call it once, when the rows you have seen answer the question.
answer: for a person, short, in the language of the question. results: references of the results it rests on (r1, …).
citations: for each figure in the answer, the cell it came from (result, row counted from 1, column).`;

const citationSchema = z.strictObject({
  figure: z.string().min(1).describe("The figure as the answer writes it."),
  result: z.string(),
  row: z.int().min(1),
  column: z.string(),
});

const inputSchema = z.strictObject({
  answer: z.string().trim().min(1),
  results: z.array(z.string()).optional(),
  citations: z.array(citationSchema).optional(),
  chart: chartField,
});

export function createFinalAnswerTool(): Tool {
  return defineTool({
    name: "final_answer",
    description: DESCRIPTION,
    input: inputSchema,
    run: async ({ answer, results, citations, chart }, context) => {
      const problems = [
        ...(results ?? []).flatMap((ref) => (context.results.get(ref) === null ? [`there is no result ${ref}`] : [])),
        ...(citations ?? []).flatMap((citation) => checkCitation(citation, context)),
      ];
      if (problems.length > 0) {
        const observation = failure(`The answer's references are not right: ${problems.slice(0, 5).join("; ")}.`, [
          "Send final_answer again with references from the observations.",
        ]);
        return { observation, rowsRead: 0, query: null };
      }
      const wish = parseChart(chart, context.results);
      const drawn = wish.ok ? wish.value : null;
      const refs = [
        ...(results ?? []),
        ...(citations ?? []).map((citation) => citation.result),
        ...(drawn === null || drawn.result === null ? [] : [drawn.result]),
      ];
      const final = { answer, results: [...new Set(refs)], citations: citations ?? [], chart: drawn };
      const observation = wish.ok
        ? success("Answer received.")
        : warning(`Answer received, without its chart. ${wish.error}.`, []);
      return { observation, rowsRead: 0, query: null, final };
    },
  });
}

function checkCitation({ result, row, column }: Citation, context: ToolContext): string[] {
  const stored = context.results.get(result);
  if (stored === null) return [`there is no result ${result}`];
  if (row > stored.rows.length) return [`${result} has ${stored.rows.length} rows, not ${row}`];
  return stored.columns.includes(column) ? [] : [`${result} has no column ${column}`];
}
