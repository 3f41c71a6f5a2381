/**
 * An answer as a list of parts: plain text, strong text, and figures with the cell they came from. Text stays text: what
 * looks like HTML or a link is shown as it is written and leads nowhere.
 * Pure: no I/O, no clock.
 */
import type { Citation } from "./api-types.ts";

export interface AnswerPart {
  readonly kind: "text" | "figure";
  readonly text: string;
  readonly strong: boolean;
  /** Of a figure. */
  readonly citation: Citation | null;
}

/** A paragraph (one or more lines), or the items of a list. */
export interface AnswerBlock {
  readonly kind: "paragraph" | "list";
  readonly items: readonly (readonly AnswerPart[])[];
}

/** The answer as paragraphs and lists: lines that open with a dash or a bullet are items. */
export function toAnswerBlocks(answer: string, citations: readonly Citation[]): readonly AnswerBlock[] {
  const groups: { kind: AnswerBlock["kind"]; lines: string[] }[] = [];
  for (const line of answer.split("\n")) {
    const item = /^\s*[-*•]\s+(.*)$/.exec(line)?.[1];
    const kind = item === undefined ? "paragraph" : "list";
    const last = groups.at(-1);
    if (last?.kind === kind && line.trim() !== "") last.lines.push(item ?? line);
    else if (line.trim() !== "") groups.push({ kind, lines: [item ?? line] });
    else groups.push({ kind: "paragraph", lines: [] });
  }
  return groups
    .filter((group) => group.lines.length > 0)
    .map(({ kind, lines }) => ({
      kind,
      items: (kind === "list" ? lines : [lines.join("\n")]).map((text) => toAnswerParts(text, citations)),
    }));
}

/** Cuts `answer` at its figures and at `**…**`. Every place where a cited figure is written becomes a link to its cell. */
export function toAnswerParts(answer: string, citations: readonly Citation[]): readonly AnswerPart[] {
  const byFigure = new Map<string, Citation>();
  for (const citation of citations) {
    if (citation.figure !== "" && !byFigure.has(citation.figure)) byFigure.set(citation.figure, citation);
  }
  return answer.split(/\*\*([^*\n]+)\*\*/).flatMap((piece, index) => cutAtFigures(piece, byFigure, index % 2 === 1));
}

function cutAtFigures(text: string, byFigure: ReadonlyMap<string, Citation>, strong: boolean): readonly AnswerPart[] {
  const parts: AnswerPart[] = [];
  const addText = (piece: string): void => {
    if (piece !== "") parts.push({ kind: "text", text: piece, strong, citation: null });
  };
  let from = 0;
  // The longest figure first: "1,297.5" is not "1,297" and a rest.
  const figures = [...byFigure.keys()].toSorted((a, b) => b.length - a.length);
  if (figures.length > 0) {
    const pattern = new RegExp(figures.map(escapePattern).join("|"), "g");
    for (const match of text.matchAll(pattern)) {
      const [figure] = match;
      const at = match.index;
      // Not in the middle of a longer number or word.
      if (/[\p{L}\p{N}_]$|\d[.,]$/u.test(text.slice(0, at)) && /^[\p{L}\p{N}]/u.test(figure)) continue;
      if (/^(?:[\p{L}\p{N}_]|[.,]\d)/u.test(text.slice(at + figure.length)) && /[\p{L}\p{N}]$/u.test(figure)) continue;
      addText(text.slice(from, at));
      parts.push({ kind: "figure", text: figure, strong, citation: byFigure.get(figure) ?? null });
      from = at + figure.length;
    }
  }
  addText(text.slice(from));
  return parts;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
