/**
 * `notes`: what the model keeps for itself. A brainstorm (difficulty, at least two approaches, pitfalls) opens the way to
 * a plan. Only in runs of depth `deep`.
 */
import * as z from "zod";
import { failure, success } from "../agent/observation.ts";
import { defineTool, type Tool } from "../agent/tool.ts";

const NOTES_MAX = 20;
const NOTE_CHARS_MAX = 600;

const DESCRIPTION = `Keeps a note for the rest of the run; notes survive when the conversation is shortened.
note: a finding, or the sketch of a query (tables, joins, conditions, grouping) before you write a difficult one.
brainstorm: before a plan: the core difficulty, at least two ways to get the answer, and pitfalls (NULLs, duplicates,
units, edge cases).`;

const text = z.string().trim().min(1).max(NOTE_CHARS_MAX);

const inputSchema = z.strictObject({
  note: text.optional(),
  brainstorm: z.strictObject({ difficulty: text, approaches: z.array(text).min(2).max(6), pitfalls: text }).optional(),
});

export function createNotesTool(): Tool {
  return defineTool({
    name: "notes",
    description: DESCRIPTION,
    input: inputSchema,
    run: async ({ note, brainstorm }, { memo }) => {
      if (note === undefined && brainstorm === undefined) {
        return {
          observation: failure("There is nothing to note.", ["Give note, brainstorm, or both."]),
          rowsRead: 0,
          query: null,
        };
      }
      const thought =
        brainstorm &&
        `Difficulty: ${brainstorm.difficulty} Ways: ${brainstorm.approaches.join(" / ")} Pitfalls: ${brainstorm.pitfalls}`;
      const added = [thought, note].filter((entry) => entry !== undefined);
      const notes = [...memo.notes, ...added].slice(-NOTES_MAX);
      const brainstormed = memo.brainstormed || brainstorm !== undefined;
      return {
        observation: success(`Noted. ${notes.length} notes are kept.`),
        rowsRead: 0,
        query: null,
        memo: { ...memo, notes, brainstormed },
      };
    },
  });
}
