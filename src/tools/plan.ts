/** `plan`: the steps a model means to take; needs a brainstorm first. Only in runs of depth `deep`. */
import * as z from "zod";
import { failure, success } from "../agent/observation.ts";
import { defineTool, type Tool } from "../agent/tool.ts";

const DESCRIPTION = `Sets or replaces the plan of this run: one to twelve short items, in order.
Needs a brainstorm in notes first. The plan survives when the conversation is shortened.`;

const inputSchema = z.strictObject({ items: z.array(z.string().trim().min(1).max(300)).min(1).max(12) });

export function createPlanTool(): Tool {
  return defineTool({
    name: "plan",
    description: DESCRIPTION,
    input: inputSchema,
    run: async ({ items }, { memo }) => {
      if (!memo.brainstormed) {
        const observation = failure("The plan was not taken: think the question through first.", [
          "Call notes with brainstorm: the difficulty, two or more approaches, and pitfalls. Then send the plan again.",
        ]);
        return { observation, rowsRead: 0, query: null };
      }
      const observation = success(`The plan has ${items.length} items.`);
      return { observation, rowsRead: 0, query: null, memo: { ...memo, plan: items } };
    },
  });
}
