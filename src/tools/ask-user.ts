/**
 * `ask_user`: one question back to the person who asked, with answers to choose from. The loop waits for the answer
 * (agent/inquiry.ts) and runs the call when it is there. Only in runs that have somebody to ask.
 */
import * as z from "zod";
import { failure, success } from "../agent/observation.ts";
import { defineTool, type Tool } from "../agent/tool.ts";

const QUESTION_CHARS_MAX = 500;
/** A button in Slack holds 75. */
const OPTION_CHARS_MAX = 70;

const DESCRIPTION = `Asks the person one question and waits for the answer, which may take long. Only when the question can be
read in ways that give different answers, and the data cannot decide which is meant. options: two to five readings to
choose from; the person may also answer in words of their own.`;

const inputSchema = z.strictObject({
  question: z.string().trim().min(1).max(QUESTION_CHARS_MAX),
  options: z.array(z.string().trim().min(1).max(OPTION_CHARS_MAX)).min(2).max(5),
});

export function createAskUserTool(): Tool {
  return defineTool({
    name: "ask_user",
    description: DESCRIPTION,
    input: inputSchema,
    run: async (_input, { reply }) => ({
      observation:
        reply === null
          ? failure("Only one question is asked at a time; this one was not asked.", ["Wait for the answer first."])
          : success("The person answered.", { reply }),
      rowsRead: 0,
      query: null,
    }),
  });
}
