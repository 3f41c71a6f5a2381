/**
 * What a run that waits asks its person: to let queries run, or which reading of the question is meant.
 *
 * Owns: what is shown to decide on (the effect: SQL, tables, rows, dollars, the engine's plan), that a word is sent once,
 * and where the focus goes. Texts of models and names of tables are text. Leaves to others: when it is shown, one panel
 * for each thing that is asked (run-screen.tsx).
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { keepOrder } from "../../lib/text-order.ts";
import { api, type Failure } from "./api.ts";
import type { AskedQuery, Run } from "./api-types.ts";
import { countOf, formatUsd } from "./format.ts";
import { FailureNotice, Folded, Sql } from "./parts.tsx";

/** The heading of the run that asks. */
export const RUN_TITLE_ID = "run-title";

const NOTE_CHARS_MAX = 500;
const REPLY_CHARS_MAX = 2_000;

interface PersonPanelProps {
  readonly run: Run;
  /** The word was taken; this is the run after it. */
  readonly onTaken: (run: Run) => void;
  /** Somebody else was faster, or the run asks something else by now. */
  readonly onLate: (failure: Failure) => void;
}

const TOO_LATE = "Your word came too late";

/** What is asked of a person, or null when nobody is. */
export function askedOf(run: Run): string | null {
  return run.waiting?.approval?.id ?? run.waiting?.inquiry?.id ?? null;
}

export function PersonPanel({ run, onTaken, onLate }: PersonPanelProps) {
  const panel = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const { approval = null, inquiry = null, until = "" } = run.waiting ?? {};
  // What is asked is what the reader should be at; once it is answered, the run is, and not the top of the document.
  useEffect(() => {
    heading.current?.focus();
    const here = panel.current;
    return () => {
      const at = document.activeElement;
      if (at === document.body || here?.contains(at)) document.getElementById(RUN_TITLE_ID)?.focus();
    };
  }, []);
  const say = async (send: () => ReturnType<typeof api.approve>): Promise<void> => {
    setSending(true);
    setFailure(null);
    const answered = await send();
    if (answered.ok) return onTaken(answered.value);
    setSending(false);
    if (answered.failure.status === 409) onLate({ ...answered.failure, title: TOO_LATE });
    else setFailure(answered.failure);
  };
  return (
    <section class="card person" aria-labelledby="person-title" ref={panel}>
      <h2 id="person-title" ref={heading} tabindex={-1} dir="auto">
        {inquiry === null ? tellApproval(approval?.queries.length ?? 0) : inquiry.question}
      </h2>
      {approval === null ? null : (
        <Approval
          queries={approval.queries}
          isSending={isSending}
          onDecide={(decision, note) => void say(() => api.approve(run.id, approval.id, decision, note))}
        />
      )}
      {inquiry === null ? null : (
        <Options
          options={inquiry.options}
          isSending={isSending}
          onReply={(reply) => void say(() => api.reply(run.id, inquiry.id, reply))}
        />
      )}
      {failure === null ? null : <FailureNotice failure={failure} />}
      <p class="muted">
        Waiting costs nothing and takes none of the run's time. It waits until{" "}
        <time datetime={until}>{new Date(until).toLocaleString()}</time>.
      </p>
    </section>
  );
}

function tellApproval(count: number): string {
  return count === 1 ? "May this query run?" : `May these ${count} queries run?`;
}

interface ApprovalProps {
  readonly queries: readonly AskedQuery[];
  readonly isSending: boolean;
  readonly onDecide: (decision: "approve" | "decline", note: string) => void;
}

function Approval({ queries, isSending, onDecide }: ApprovalProps) {
  const note = useRef<HTMLInputElement>(null);
  const decide = (decision: "approve" | "decline"): void => onDecide(decision, note.current?.value.trim() ?? "");
  return (
    <>
      {queries.map((query) => (
        <div key={String(query.index)} class="asked-query">
          <Sql text={query.sql} />
          <p>
            Reads about {countOf(Math.round(query.rows_read), "row")} ({formatUsd(query.cost_usd)})
            {query.tables.length === 0 ? null : " of "}
            {query.tables.map((table, index) => (
              <>
                {index === 0 ? null : ", "}
                <bdi>{table}</bdi>
              </>
            ))}
            .
          </p>
          {query.plan.length === 0 ? null : (
            <Folded summary="How the database would do it">
              <pre class="plan">{keepOrder(query.plan.join("\n"))}</pre>
            </Folded>
          )}
        </div>
      ))}
      <label>
        A word to the model, if it should not run
        <input ref={note} type="text" maxlength={NOTE_CHARS_MAX} dir="auto" />
      </label>
      <div class="person-actions">
        <button type="button" class="button button-main" disabled={isSending} onClick={() => decide("approve")}>
          Run it
        </button>
        <button type="button" class="button" disabled={isSending} onClick={() => decide("decline")}>
          Do not run it
        </button>
      </div>
    </>
  );
}

interface OptionsProps {
  readonly options: readonly string[];
  readonly isSending: boolean;
  readonly onReply: (reply: string) => void;
}

function Options({ options, isSending, onReply }: OptionsProps) {
  const words = useRef<HTMLInputElement>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    const reply = words.current?.value.trim() ?? "";
    if (reply === "") words.current?.focus();
    else onReply(reply);
  };
  return (
    <>
      <div class="person-actions">
        {options.map((option) => (
          <button type="button" class="button" dir="auto" disabled={isSending} onClick={() => onReply(option)}>
            {option}
          </button>
        ))}
      </div>
      <form class="own-words" onSubmit={submit} noValidate>
        <label>
          In other words
          <input ref={words} type="text" maxlength={REPLY_CHARS_MAX} dir="auto" />
        </label>
        <button type="submit" class="button" disabled={isSending}>
          Answer
        </button>
      </form>
    </>
  );
}
