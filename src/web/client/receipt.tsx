/**
 * What stands behind an answer: what it cost, where the time went, every query, the runs around it, and the whole
 * journal.
 */
import { useState } from "preact/hooks";
import { download, type Failure, runPath } from "./api.ts";
import type { Run } from "./api-types.ts";
import { countOf, formatCount, formatMs, tellSpent } from "./format.ts";
import { CopyButton, FailureNotice, Link } from "./parts.tsx";
import type { StepView } from "./run-view.ts";
import { toTimeline } from "./timeline.ts";
import { Transcript } from "./transcript.tsx";

export function Receipt({ run, steps, now }: { run: Run; steps: readonly StepView[]; now: number }) {
  const [failure, setFailure] = useState<Failure | null>(null);
  const save = async (): Promise<void> => {
    const saved = await download(`${runPath(run.id)}/transcript`, `${run.id}.jsonl`);
    setFailure(saved.ok ? null : saved.failure);
  };
  const { receipt } = run;
  const facts: readonly (readonly [string, string])[] = [
    [
      "Outcome",
      // "answered: done" and "cancelled: cancelled" say it twice.
      [run.outcome ?? run.status, run.stop_reason?.replaceAll("_", " ")]
        .filter((text, index) => text !== undefined && (index === 0 || (text !== "done" && text !== run.outcome)))
        .join(": "),
    ],
    ["Model", run.model],
    ["Cost", tellSpent(run.usage)],
    ["Time", formatMs(receipt.seconds * 1_000)],
    ["Steps", formatCount(receipt.steps)],
    ["Queries", formatCount(run.n_queries)],
    ["Rows read", formatCount(receipt.rows_read)],
    ["Asked", new Date(run.created_at).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" })],
  ];
  return (
    <section class="card receipt" aria-labelledby="receipt-title">
      <h2 id="receipt-title">Receipt</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Kin run={run} />
      {steps.length === 0 ? null : <TimelineTable steps={steps} now={now} />}
      <div class="receipt-tools">
        <CopyButton text={location.href} label="Copy link" />
        <CopyButton text={receipt.queries.map((query) => query.sql).join(";\n\n")} label="Copy all SQL" />
        <button type="button" class="button button-quiet" onClick={() => void save()}>
          Download transcript
        </button>
      </div>
      {failure === null ? null : <FailureNotice failure={failure} />}
      <Transcript runId={run.id} />
    </section>
  );
}

/** The run that this one carries on, and those that carry this one on. */
function Kin({ run }: { run: Run }) {
  const children = run.children ?? [];
  if (run.parent === null && run.again === null && children.length === 0) return null;
  return (
    <ul class="kin">
      {run.again === null ? null : (
        <li>
          Runs the queries of <Link to={`/runs/${run.again.id}`}>an earlier run</Link> again, without a model
        </li>
      )}
      {run.parent === null ? null : (
        <li>
          {run.parent.kind === "continue" ? "Continues" : "Forked from"}{" "}
          <Link to={`/runs/${run.parent.id}`}>an earlier run, after step {run.parent.step}</Link>
        </li>
      )}
      {children.map((child) => (
        <li>
          {child.kind === "continue" ? "Continued in" : "Forked into"}{" "}
          <Link to={`/runs/${child.id}`}>a later run, after step {child.step}</Link>
        </li>
      ))}
    </ul>
  );
}

function TimelineTable({ steps, now }: { steps: readonly StepView[]; now: number }) {
  const { rows, totalMs } = toTimeline(steps, now);
  const part = (ms: number): { width: string } => ({ width: `${(ms / totalMs) * 100}%` });
  return (
    <section class="table-scroll" tabindex={0} aria-label="Where the time went">
      <table class="timeline">
        <caption>Where the time went</caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col" class="numeric">
              <span class="swatch swatch-model" aria-hidden="true" />
              Model
            </th>
            <th scope="col" class="numeric">
              <span class="swatch swatch-database" aria-hidden="true" />
              Database
            </th>
            <th scope="col" class="numeric">
              <span class="swatch swatch-waiting" aria-hidden="true" />
              Waiting
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <th scope="row">{row.step}</th>
              <td class="numeric">{formatMs(row.modelMs)}</td>
              <td class="numeric">{formatMs(row.databaseMs)}</td>
              <td class="numeric">{formatMs(row.waitingMs)}</td>
              <td class="timeline-bar" aria-hidden="true">
                <div class="timeline-line">
                  <span style={part(row.offsetMs)} />
                  <span class="swatch-model" style={part(row.modelMs)} />
                  <span class="swatch-database" style={part(row.databaseMs)} />
                  <span class="swatch-waiting" style={part(row.waitingMs)} />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="sr-only">{countOf(rows.length, "step")}</p>
    </section>
  );
}
