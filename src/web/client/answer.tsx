/**
 * How the run ended, first and large: the answer with each figure linked to its cell, or in plain words why there is
 * none; then every warning.
 */

import { type AnswerPart, toAnswerBlocks } from "./answer-parts.ts";
import type { Citation, Run } from "./api-types.ts";
import { Notice } from "./parts.tsx";
import { cellId } from "./result-table.tsx";

/** Longer answers are set smaller: they are read, not glanced at. */
const LARGE_CHARS_MAX = 160;
/** How the worker tells of results by itself (agent/findings.ts) when no model could word an answer. */
const FINDINGS = /^Result r\d+ \(/;

export interface AnswerProps {
  readonly run: Run;
  /** A figure is pointed at, left (null), or followed to its cell. */
  readonly onPoint: (citation: Citation | null) => void;
  readonly onFollow: (citation: Citation) => void;
}

export function Answer({ run, onPoint, onFollow }: AnswerProps) {
  const text = run.answer ?? run.partial_answer;
  const isLarge = run.answer !== null && run.answer.length <= LARGE_CHARS_MAX;
  const isFindings = run.answer === null && FINDINGS.test(run.partial_answer ?? "");
  return (
    <section class="answer" aria-label="Answer">
      {run.outcome === "answered" ? null : <Ending run={run} />}
      {text === null ? null : isFindings ? (
        <>
          <p class="partial-label">What was found so far, not worded as an answer</p>
          <pre class="findings" dir="auto">
            {text}
          </pre>
        </>
      ) : (
        <>
          {run.answer === null ? <p class="partial-label">Partial answer</p> : null}
          <div class={isLarge ? "answer-text answer-large" : "answer-text"} dir="auto">
            {toAnswerBlocks(text, run.receipt.citations).map(({ kind, items }) =>
              kind === "list" ? (
                <ul>
                  {items.map((parts) => (
                    <li>
                      <AnswerText parts={parts} onPoint={onPoint} onFollow={onFollow} />
                    </li>
                  ))}
                </ul>
              ) : (
                <p>
                  <AnswerText parts={items[0] ?? []} onPoint={onPoint} onFollow={onFollow} />
                </p>
              ),
            )}
          </div>
        </>
      )}
      {run.warnings.length === 0 ? null : (
        <Notice kind="warning" title={run.warnings.length === 1 ? "Before you rely on it" : "Before you rely on it:"}>
          <ul class="warnings">
            {run.warnings.map((warning) => (
              <li>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
    </section>
  );
}

interface TextProps {
  readonly parts: readonly AnswerPart[];
  readonly onPoint: (citation: Citation | null) => void;
  readonly onFollow: (citation: Citation) => void;
}

function AnswerText({ parts, onPoint, onFollow }: TextProps) {
  return (
    <>
      {parts.map((part) => {
        const { citation } = part;
        const shown =
          citation === null ? (
            part.text
          ) : (
            <a
              class="figure"
              href={`#${cellId(citation.result, citation.row, 0)}`}
              aria-description={`Result ${citation.result}, row ${citation.row}, ${citation.column}`}
              data-evidence={`${citation.result}, row ${citation.row}, ${citation.column}`}
              onMouseEnter={() => onPoint(citation)}
              onMouseLeave={() => onPoint(null)}
              onFocus={() => onPoint(citation)}
              onBlur={() => onPoint(null)}
              onClick={(event: MouseEvent) => {
                event.preventDefault();
                onFollow(citation);
              }}
            >
              {part.text}
            </a>
          );
        return part.strong ? <strong>{shown}</strong> : shown;
      })}
    </>
  );
}

function Ending({ run }: { run: Run }) {
  const titles: { readonly [outcome: string]: string } = {
    stopped: "Stopped before there was an answer",
    failed: "No answer: something failed",
    cancelled: "Cancelled",
  };
  const isBudget = run.stop_reason === "budget";
  const title = isBudget ? "The budget of this question is used up" : (titles[run.outcome ?? ""] ?? "No answer");
  const message = run.message ?? "";
  // "Cancelled." under "Cancelled" says nothing; a list of what can be asked keeps its lines.
  return (
    <Notice kind={run.outcome === "failed" ? "error" : "info"} title={title}>
      {message === `${title}.` ? undefined : <p class="ending-message">{message}</p>}
    </Notice>
  );
}
