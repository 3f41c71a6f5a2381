/**
 * A run at its own address: followed while it goes on, read when it is over, replayed on demand.
 *
 * Owns: which parts are shown when. The run itself is fetched at the start, after each step and at the end; everything
 * in between comes from its events, which also carry on where they were after a lost connection or a reload.
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Answer } from "./answer.tsx";
import { api, type Failure } from "./api.ts";
import type { Citation, Run, RunEvent } from "./api-types.ts";
import { ContinueForm } from "./continue-form.tsx";
import { followEvents, type StreamState } from "./event-stream.ts";
import { useNow } from "./hooks.ts";
import { Meters } from "./meters.tsx";
import { NextSteps } from "./next-steps.tsx";
import { FailureNotice, Folded, Notice, Waiting } from "./parts.tsx";
import { askedOf, PersonPanel, RUN_TITLE_ID } from "./person-panel.tsx";
import { Receipt } from "./receipt.tsx";
import { Replay } from "./replay.tsx";
import { ResultPanel } from "./result-panel.tsx";
import { navigate } from "./router.ts";
import { type RunView, toRunView } from "./run-view.ts";
import { PreviewTable, Steps } from "./steps.tsx";

/** Events after which the run itself is read anew. */
const CHANGES_RUN: ReadonlySet<string> = new Set([
  "step_finished",
  "run_finished",
  "approval_asked",
  "approval_decided",
  "question_asked",
  "question_answered",
]);
const TICK_MS = 200;
/** So close to its end a box counts as read to the end. */
const END_PX = 60;

export function RunScreen({ id }: { id: string }) {
  const { run, events, connection, failure, refresh, take } = useRun(id);
  const [shown, setShown] = useState<number | null>(null);
  const [refused, setRefused] = useState<Failure | null>(null);
  const isLive = run !== null && run.status !== "finished";
  const now = useNow(isLive, TICK_MS);
  const view = useMemo(() => toRunView(shown === null ? events : events.slice(0, shown)), [events, shown]);
  const side = useFollowedEnd(isLive, events.length);
  useEffect(() => {
    if (run !== null) document.title = `${isLive ? "… " : ""}${run.question.slice(0, 80)} · Querent`;
  }, [run]);
  if (run === null) return <NoRun failure={failure} connection={connection} onAgain={refresh} />;
  const isReplay = shown !== null;
  const asked = askedOf(run);
  const shownAt = isReplay || !isLive ? (view.lastAt ?? now) : now;
  return (
    <article class="run">
      <header class="run-head">
        <h1 id={RUN_TITLE_ID} tabindex={-1} dir="auto">
          {run.question}
        </h1>
        {connection === "lost" && isLive ? <LostNotice /> : null}
        {failure === null ? null : <FailureNotice failure={failure} />}
        {refused === null ? null : <FailureNotice failure={refused} />}
      </header>
      <div class="run-main">
        {isLive || isReplay ? (
          <>
            {isReplay || asked === null ? null : (
              <PersonPanel
                key={asked}
                run={run}
                onTaken={(after) => {
                  setRefused(null);
                  take(after);
                }}
                onLate={(late) => {
                  setRefused(late);
                  refresh();
                }}
              />
            )}
            <Progress run={run} view={view} isReplay={isReplay} onStopped={refresh} />
          </>
        ) : (
          <Finished run={run} />
        )}
      </div>
      <aside class={isLive ? "run-side run-side-live" : "run-side"} aria-label="Steps and costs" ref={side}>
        <Meters run={run} view={view} now={shownAt} isReplay={isReplay} />
        <div class="side-head">
          <h2>{isLive ? "Step by step" : "How it was found"}</h2>
          {isLive ? null : <Replay total={events.length} shown={shown} onShow={setShown} />}
        </div>
        <Steps steps={view.steps} onFork={isLive || isReplay ? null : (step) => void fork(run.id, step, setRefused)} />
        {isLive || isReplay ? null : <Receipt run={run} steps={view.steps} now={shownAt} />}
      </aside>
    </article>
  );
}

interface NoRunProps {
  readonly failure: Failure | null;
  readonly connection: StreamState;
  readonly onAgain: () => void;
}

/** While the run is not there yet, or cannot be had. */
function NoRun({ failure, connection, onAgain }: NoRunProps) {
  if (failure?.status === 401) return <FailureNotice failure={failure} />;
  return (
    <>
      <h1 class="sr-only">Run</h1>
      {failure !== null ? (
        <FailureNotice failure={failure} onAgain={onAgain} />
      ) : connection === "lost" ? (
        <LostNotice />
      ) : (
        <Waiting what="Loading the run" />
      )}
    </>
  );
}

/** Keeps the end of a box that scrolls in view while it grows, unless the reader has scrolled back. */
function useFollowedEnd(isGrowing: boolean, size: number) {
  const box = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = box.current;
    if (element === null || !isGrowing) return;
    const note = (): void => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX;
    };
    element.addEventListener("scroll", note);
    return () => element.removeEventListener("scroll", note);
  }, [isGrowing, box.current]);
  useEffect(() => {
    if (isGrowing && isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [isGrowing, size]);
  return box;
}

function LostNotice() {
  return (
    <Notice kind="warning" title="The connection is lost.">
      The run goes on. Trying to reach the server again.
    </Notice>
  );
}

async function fork(id: string, step: number, onRefused: (failure: Failure) => void): Promise<void> {
  const answered = await api.fork(id, step);
  if (answered.ok) navigate(`/runs/${answered.value.id}`);
  else onRefused(answered.failure);
}

/** The run and its events, kept up to date until it is finished. */
function useRun(id: string) {
  const [run, setRun] = useState<Run | null>(null);
  const [events, setEvents] = useState<readonly RunEvent[]>([]);
  const [connection, setConnection] = useState<StreamState>("open");
  const [failure, setFailure] = useState<Failure | null>(null);
  const all = useRef<readonly RunEvent[]>([]);
  const load = async (signal?: AbortSignal): Promise<void> => {
    const answered = await api.run(id, signal);
    if (answered.ok) setRun(answered.value);
    setFailure(answered.ok || answered.failure.status === 0 ? null : answered.failure);
    if (!answered.ok && answered.failure.status === 0) setConnection("lost");
  };
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const quietly = (promise: Promise<void>): void => void promise.catch(() => undefined);
    quietly(load(signal));
    quietly(
      followEvents(
        id,
        {
          onEvents: (added) => {
            all.current = [...all.current, ...added];
            setEvents(all.current);
            if (added.some((event) => CHANGES_RUN.has(event.type))) {
              quietly(load(signal));
            }
          },
          onState: (state) => {
            setConnection(state);
            if (state === "open") quietly(load(signal));
          },
          onRefused: setFailure,
        },
        signal,
      ),
    );
    return () => abort.abort();
  }, [id]);
  return { run, events, connection, failure, refresh: () => void load(), take: setRun };
}

interface ProgressProps {
  readonly run: Run;
  readonly view: RunView;
  readonly isReplay: boolean;
  readonly onStopped: () => void;
}

/** While there is no answer yet: what is going on, and the way to stop it. */
function Progress({ run, view, isReplay, onStopped }: ProgressProps) {
  const [isStopping, setStopping] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const stop = async (): Promise<void> => {
    setStopping(true);
    const answered = await api.cancel(run.id);
    setStopping(false);
    // A run that ended in the meantime is as good as stopped.
    setFailure(answered.ok || answered.failure.status === 409 ? null : answered.failure);
    onStopped();
  };
  const isAsking = run.waiting !== null && run.waiting.kind !== "retry";
  const seen = view.steps.flatMap((step) => step.calls.flatMap((call) => call.preview ?? [])).at(-1);
  return (
    <section class="progress" aria-label="Progress">
      <p class="doing" role="status">
        {view.isFinished || isAsking ? null : <span class="spinner" aria-hidden="true" />}
        {isReplay ? `Replay. ${view.doing}` : run.waiting?.kind === "retry" ? "Waiting to go on" : view.doing}
      </p>
      {isReplay ? null : (
        <button type="button" class="button button-stop" disabled={isStopping} onClick={() => void stop()}>
          {isStopping ? "Stopping" : "Stop"}
        </button>
      )}
      {failure === null ? null : <FailureNotice failure={failure} />}
      {seen === undefined ? null : (
        <div class="card latest">
          <h2>Rows so far</h2>
          <PreviewTable preview={seen} label="Rows so far" rowsMax={10} />
        </div>
      )}
    </section>
  );
}

function Finished({ run }: { run: Run }) {
  const [pointed, setPointed] = useState<Citation | null>(null);
  const [followed, setFollowed] = useState<Citation | null>(null);
  const { citations, results, queries, chart } = run.receipt;
  const cited = [...new Set([...results, ...citations.map((citation) => citation.result)])];
  const latest = queries.flatMap((query) => query.result ?? []).slice(-1);
  const refs = cited.length > 0 ? cited : latest;
  // With nothing said, nothing rests on the rows: they are there for who wants them.
  const isSilent = run.answer === null && run.partial_answer === null;
  // A cell that was followed stays lit until another is; pointing lights only as long as it lasts.
  const active = pointed ?? followed;
  const follow = (citation: Citation): void => {
    setPointed(null);
    setFollowed({ ...citation });
  };
  const panels = refs.map((ref) => (
    <ResultPanel
      key={ref}
      runId={run.id}
      resultRef={ref}
      wish={chart}
      isChanged={run.again?.changed.includes(ref) ?? false}
      cited={citations.filter((citation) => citation.result === ref)}
      active={active?.result === ref ? active : null}
      followed={followed?.result === ref ? followed : null}
    />
  ));
  return (
    <>
      <Answer run={run} onPoint={setPointed} onFollow={follow} />
      {run.links.continue === undefined ? null : <ContinueForm run={run} />}
      {isSilent && refs.length > 0 ? <Folded summary="The last rows that were looked up">{panels}</Folded> : panels}
      <NextSteps run={run} />
    </>
  );
}
