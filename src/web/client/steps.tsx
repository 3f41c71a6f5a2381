/**
 * What was done, step by step: what the model was after, the SQL, what came back, what went wrong and how it went on.
 */
import { useState } from "preact/hooks";
import { isNumericColumn, toCellText } from "../cells.ts";
import { countOf, formatMs, formatUsd } from "./format.ts";
import { Sql } from "./parts.tsx";
import { type CallView, type NoticeView, type StepView, toToolTitle } from "./run-view.ts";

/** Advice that names a tool is of use to the model alone. */
const FOR_THE_MODEL = /\b(?:read_result|final_answer|list_tables|describe_tables|execute_read_only_sql)\b/;
const PREVIEW_ROWS_MAX = 5;
const PREVIEW_COLUMNS_MAX = 6;
const PREVIEW_CHARS_MAX = 40;

export interface StepsProps {
  readonly steps: readonly StepView[];
  /** Starts a new run after the step; null while the run goes on. */
  readonly onFork: ((step: number) => void) | null;
}

export function Steps({ steps, onFork }: StepsProps) {
  const last = steps.at(-1)?.number;
  return (
    <ol class="steps" aria-label="Steps">
      {steps.map((step) => (
        <li key={String(step.number)} class={step.finishedAt === null ? "step step-running" : "step"}>
          <div class="step-head">
            <h3>Step {step.number}</h3>
            <span class="muted">
              {step.finishedAt === null ? "now" : formatMs(step.finishedAt - step.startedAt)}
              {step.costUsd > 0 ? ` · ${formatUsd(step.costUsd)}` : ""}
            </span>
          </div>
          {step.thought === "" ? null : (
            <p class="thought" dir="auto">
              {step.thought}
            </p>
          )}
          {step.calls.map((call) => (
            <Call key={call.id} call={call} />
          ))}
          {step.notices.map((notice) => (
            <StepNotice notice={notice} />
          ))}
          {onFork === null || step.number === last ? null : (
            <button type="button" class="button button-quiet" onClick={() => onFork(step.number)}>
              Go on from here in a new run
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}

const MARKS: { readonly [kind in NoticeView["kind"]]: string } = {
  retry: "↻",
  recovery: "↻",
  failure: "!",
  ceiling: "!",
  person: "?",
};

function StepNotice({ notice }: { notice: NoticeView }) {
  return (
    <p class={`step-notice step-notice-${notice.kind}`}>
      <span aria-hidden="true">{MARKS[notice.kind]} </span>
      {notice.text}
    </p>
  );
}

function Call({ call }: { call: CallView }) {
  if (call.name === "final_answer" && call.status === "success") {
    return <p class="call-outcome">Gives the answer.</p>;
  }
  return (
    <div class={`call call-${call.status}`}>
      {call.sql === null ? <p class="call-title">{toToolTitle(call.name)}</p> : <Sql text={call.sql} />}
      <p class="call-outcome" role={call.status === "error" ? "note" : undefined}>
        <span class="call-mark" aria-hidden="true">
          {call.status === "running" ? "" : call.status === "error" ? "✕" : "✓"}
        </span>
        {call.status === "running" ? call.summary || "Running" : tellOutcome(call)}
      </p>
      {call.advice
        .filter((advice) => !FOR_THE_MODEL.test(advice))
        .map((advice) => (
          <p class="call-advice">{advice}</p>
        ))}
      {call.preview === null || call.sql === null || call.preview.rows.length === 0 ? null : <Preview call={call} />}
    </div>
  );
}

function tellOutcome(call: CallView): string {
  if (call.status === "error" || call.rows === null) return call.summary;
  return `${countOf(call.rows, "row")} · ${countOf(call.rowsRead, "row")} read · ${formatMs(call.durationMs)}`;
}

function Preview({ call }: { call: CallView }) {
  const [isOpen, setOpen] = useState(false);
  const label = `First rows${call.ref === null ? "" : ` of ${call.ref}`}`;
  const toggle = (event: Event): void => {
    if (event.target instanceof HTMLDetailsElement) setOpen(event.target.open);
  };
  return (
    <details class="preview" onToggle={toggle}>
      <summary>{label}</summary>
      {isOpen && call.preview !== null ? (
        <PreviewTable preview={call.preview} label={label} rowsMax={PREVIEW_ROWS_MAX} />
      ) : null}
    </details>
  );
}

export interface PreviewTableProps {
  readonly preview: NonNullable<CallView["preview"]>;
  readonly label: string;
  readonly rowsMax: number;
}

/** The first rows and columns of what a query found, to look at while the run goes on. */
export function PreviewTable({ preview, label, rowsMax }: PreviewTableProps) {
  const columns = preview.columns.slice(0, PREVIEW_COLUMNS_MAX);
  return (
    <section class="table-scroll" tabindex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((name, index) => (
              <th scope="col" class={isNumericColumn(preview.rows, index) ? "numeric" : ""}>
                <bdi>{name}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preview.rows.slice(0, rowsMax).map((row) => (
            <tr>
              {columns.map((_name, index) => (
                <td dir="auto" class={typeof row[index] === "number" ? "numeric" : ""}>
                  {shorten(toCellText(row[index]))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function shorten(text: string): string {
  return text.length <= PREVIEW_CHARS_MAX ? text : `${text.slice(0, PREVIEW_CHARS_MAX).toWellFormed()}…`;
}
