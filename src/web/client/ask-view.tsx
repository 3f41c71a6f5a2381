/**
 * The first view: a question, what could be asked, and what there is to ask about.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Failure } from "./api.ts";
import type { Schema } from "./api-types.ts";
import { exampleQuestions } from "./example-questions.ts";
import { countOf } from "./format.ts";
import { useLoaded } from "./hooks.ts";
import { ASK_FIELDS, readLimits } from "./limits.ts";
import { FailureNotice, Link, Waiting } from "./parts.tsx";
import { navigate } from "./router.ts";

const QUESTION_CHARS_MAX = 4_000;
const TABLES_SHOWN_MAX = 40;

export function AskView() {
  const { state, again } = useLoaded((signal) => api.schema(signal), []);
  useEffect(() => {
    document.title = "Ask · Querent";
  }, []);
  if (state.kind === "failed" && state.failure.status === 401) return <FailureNotice failure={state.failure} />;
  return (
    <div class="ask">
      <div class="ask-main">
        <h1>What do you want to know?</h1>
        <AskForm examples={state.kind === "loaded" ? exampleQuestions(state.value) : []} />
      </div>
      <aside class="ask-side" aria-labelledby="scope-title">
        <h2 id="scope-title">Tables you can ask about</h2>
        {state.kind === "loading" ? <Waiting what="Reading the schema" /> : null}
        {state.kind === "failed" ? <FailureNotice failure={state.failure} onAgain={again} /> : null}
        {state.kind === "loaded" ? <TablesInScope schema={state.value} /> : null}
      </aside>
    </div>
  );
}

function AskForm({ examples }: { examples: readonly string[] }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [limits, setLimits] = useState<{ readonly [name: string]: string }>({});
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  useEffect(() => field.current?.focus(), []);
  const ask = async (question: string): Promise<void> => {
    const asked = question.trim();
    if (asked === "" || isSending) {
      field.current?.focus();
      return;
    }
    const checked = readLimits(limits);
    if (checked === null) {
      setFailure({
        status: 400,
        title: "A limit is not a number",
        detail: "Enter numbers above zero, or leave them empty.",
      });
      return;
    }
    setSending(true);
    setFailure(null);
    const answered = await api.ask(asked, checked);
    setSending(false);
    if (answered.ok) navigate(`/runs/${answered.value.id}`);
    else setFailure(answered.failure);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void ask(field.current?.value ?? "");
  };
  return (
    <form class="ask-form" onSubmit={submit}>
      <label class="sr-only" for="question">
        Your question
      </label>
      <textarea
        id="question"
        ref={field}
        rows={3}
        maxlength={QUESTION_CHARS_MAX}
        placeholder="Ask in plain words, as you would ask a colleague"
        dir="auto"
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
        }}
      />
      <div class="ask-actions">
        <LimitFields texts={limits} onChange={setLimits} />
        <button type="submit" class="button button-main" disabled={isSending}>
          {isSending ? "Asking" : "Ask"}
        </button>
      </div>
      {failure === null ? null : <FailureNotice failure={failure} />}
      <Examples questions={examples} isDisabled={isSending} onAsk={(question) => void ask(question)} />
    </form>
  );
}

interface LimitFieldsProps {
  readonly texts: { readonly [name: string]: string };
  readonly onChange: (texts: { readonly [name: string]: string }) => void;
}

function LimitFields({ texts, onChange }: LimitFieldsProps) {
  return (
    <details class="limits">
      <summary>Limits</summary>
      <div class="fields">
        {ASK_FIELDS.map(({ name, label }) => (
          <label>
            {label}
            <input
              type="number"
              inputmode="decimal"
              min="0"
              step="any"
              placeholder="default"
              value={texts[name] ?? ""}
              onInput={(event: Event) => {
                if (event.target instanceof HTMLInputElement) onChange({ ...texts, [name]: event.target.value });
              }}
            />
          </label>
        ))}
      </div>
    </details>
  );
}

interface ExamplesProps {
  readonly questions: readonly string[];
  readonly isDisabled: boolean;
  readonly onAsk: (question: string) => void;
}

function Examples({ questions, isDisabled, onAsk }: ExamplesProps) {
  if (questions.length === 0) return null;
  return (
    <div class="examples">
      <h2>For example</h2>
      <ul>
        {questions.map((question) => (
          <li>
            <button type="button" class="example" onClick={() => onAsk(question)} disabled={isDisabled}>
              {question}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function TablesInScope({ schema }: { schema: Schema }) {
  if (schema.tables.length === 0)
    return <p class="muted">There are none. The database is empty, or your key may read nothing.</p>;
  const shown = schema.tables.slice(0, TABLES_SHOWN_MAX);
  return (
    <>
      <ul class="tables">
        {shown.map((table) => (
          <li>
            <details>
              <summary>
                <bdi>{table.name}</bdi>
                <span class="muted">
                  {table.rows === null
                    ? table.kind
                    : `${countOf(table.rows, "row")}${table.has_more_rows ? " or more" : ""}`}
                </span>
              </summary>
              <p class="columns">{table.columns.map((column) => column.name).join(", ")}</p>
            </details>
          </li>
        ))}
      </ul>
      <Link to="/schema">
        {schema.tables.length > shown.length ? `All ${schema.tables.length} tables` : "Columns, keys and values"}
      </Link>
    </>
  );
}
