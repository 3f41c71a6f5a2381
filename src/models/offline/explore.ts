/**
 * When the schema did not fit the prompt: which tables to look for and to have described, by the words of the question.
 * Pure: no I/O, no clock.
 */
import { keyAt } from "./keys.ts";
import { parseTokens } from "./question-tokens.ts";
import type { PastCall, Transcript } from "./transcript.ts";
import { listedTables } from "./transcript.ts";
import { EMPTY_WORDS } from "./vocabulary.ts";

/** Words searched for at once, and tables described at once. */
const SEARCHES_MAX = 3;

const DESCRIBED_MAX = 12;

interface Exploration {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
}

/** The next look at the schema, or null when enough of it is known. */
export function exploreSchema(transcript: Transcript): Exploration | null {
  const { graph, tools, calls } = transcript;
  if (graph.omitted === 0 && graph.tables.length > 0) return null;
  if (!tools.has("list_tables") || !tools.has("describe_tables")) return null;
  const lists = calls.filter((call) => call.tool === "list_tables");
  if (lists.length === 0) {
    const words = searchWords(transcript.question);
    const inputs = graph.omitted === 0 || words.length === 0 ? [{}] : words.map((search) => ({ search }));
    return {
      text: "I look for tables that the schema above does not show.",
      calls: inputs.map((input) => ({ name: "list_tables", input })),
    };
  }
  if (calls.some((call) => call.tool === "describe_tables")) return null;
  const known = new Set(graph.tables.map((table) => table.name));
  const names = pickTables(lists, transcript.question).filter((name) => !known.has(name));
  if (names.length === 0) return null;
  return {
    text: `I read the columns of ${names.join(", ")}.`,
    calls: [{ name: "describe_tables", input: { tables: names } }],
  };
}

function searchWords(question: string): readonly string[] {
  const words = parseTokens(question)
    .filter(
      (token) =>
        token.kind === "word" &&
        token.lower.length > 2 &&
        !EMPTY_WORDS.has(token.lower) &&
        keyAt([token.lower]) === null &&
        !/^(many|number)$/.test(token.lower),
    )
    // A stem that plural and singular share: `categories` and `category`.
    .map((token) => token.lemma.replace(/y$/, ""));
  return [...new Set(words)].slice(0, SEARCHES_MAX);
}

/** Tables whose name holds a word of the question first, then the rest as found, a few from each search. */
function pickTables(lists: readonly PastCall[], question: string): readonly string[] {
  const words = searchWords(question);
  const found = [...new Set(lists.flatMap((call) => listedTables(call)))];
  const score = (name: string): number => words.filter((word) => name.toLowerCase().includes(word)).length;
  return [...found].sort((a, b) => score(b) - score(a) || a.length - b.length).slice(0, DESCRIBED_MAX);
}
