/**
 * The question, what it may use, and examples to start from.
 *
 * Owns: the fields of model and limits, filled from what the caller may have; while that is not known they are left to the
 * server. Leaves to others: which limits there are and whether they are right (limits.ts).
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Failure } from "./api.ts";
import type { Caller } from "./api-types.ts";
import { formatCount, formatUsd } from "./format.ts";
import { useLoaded } from "./hooks.ts";
import { ASK_FIELDS, readApproval, readLimits } from "./limits.ts";
import { FailureNotice } from "./parts.tsx";
import { navigate } from "./router.ts";

const QUESTION_CHARS_MAX = 4_000;

/** What was typed; empty texts are the defaults. */
interface Settings {
  readonly model: string;
  readonly limits: { readonly [name: string]: string };
  /** Rows above which a query waits for a word. */
  readonly approval: string;
}

export function AskForm({ examples }: { examples: readonly string[] }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const { state } = useLoaded((signal) => api.caller(signal), []);
  const caller = state.kind === "loaded" ? state.value : null;
  const [settings, setSettings] = useState<Settings>({ model: "", limits: {}, approval: "" });
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  useEffect(() => field.current?.focus(), []);
  const ask = async (question: string): Promise<void> => {
    const asked = question.trim();
    if (asked === "" || isSending) {
      field.current?.focus();
      return;
    }
    const read = readLimits(settings.limits, caller?.limits.max ?? null);
    if (!read.ok) {
      setFailure({ status: 400, title: "A limit is not right", detail: read.detail });
      return;
    }
    const approval = readApproval(settings.approval, caller?.approve_above_rows ?? null);
    if (!approval.ok) {
      setFailure({ status: 400, title: "That number of rows is not right", detail: approval.detail });
      return;
    }
    setSending(true);
    setFailure(null);
    const answered = await api.ask(asked, read.limits, settings.model, approval.rows);
    setSending(false);
    if (answered.ok) navigate(`/runs/${answered.value.id}`);
    else setFailure(answered.failure);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void ask(field.current?.value ?? "");
  };
  return (
    <form class="ask-form" onSubmit={submit} noValidate>
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
        <SettingFields caller={caller} settings={settings} onChange={setSettings} />
        <button type="submit" class="button button-main" disabled={isSending}>
          {isSending ? "Asking" : "Ask"}
        </button>
      </div>
      {failure === null ? null : <FailureNotice failure={failure} />}
      <Examples questions={examples} isDisabled={isSending} onAsk={(question) => void ask(question)} />
    </form>
  );
}

interface SettingFieldsProps {
  readonly caller: Caller | null;
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}

function SettingFields({ caller, settings, onChange }: SettingFieldsProps) {
  const hasChoice = caller !== null && caller.models.length > 1;
  return (
    <details class="limits">
      <summary>{hasChoice ? "Model and limits" : "Limits"}</summary>
      {hasChoice ? (
        <label class="model">
          Model
          <select
            value={settings.model || (caller.default_model ?? "")}
            onChange={(event: Event) => {
              if (event.target instanceof HTMLSelectElement) onChange({ ...settings, model: event.target.value });
            }}
          >
            {caller.models.map((model) => (
              <option value={model}>{model}</option>
            ))}
          </select>
        </label>
      ) : null}
      <div class="fields">
        {ASK_FIELDS.map(({ name, label }) => (
          <label>
            {label}
            <input
              type="number"
              inputmode="decimal"
              min="0"
              step="any"
              max={caller?.limits.max[name]}
              placeholder={String(caller?.limits.default[name] ?? "default")}
              value={settings.limits[name] ?? ""}
              onInput={(event: Event) => {
                if (event.target instanceof HTMLInputElement) {
                  onChange({ ...settings, limits: { ...settings.limits, [name]: event.target.value } });
                }
              }}
            />
            {caller === null ? null : <span class="up-to">up to {formatCount(caller.limits.max[name] ?? 0)}</span>}
          </label>
        ))}
      </div>
      <label class="approval">
        Ask me before a query reads more rows than
        <input
          type="number"
          inputmode="numeric"
          min="0"
          step="1"
          max={caller?.approve_above_rows ?? undefined}
          placeholder={caller?.approve_above_rows == null ? "never ask" : String(caller.approve_above_rows)}
          value={settings.approval}
          onInput={(event: Event) => {
            if (event.target instanceof HTMLInputElement) onChange({ ...settings, approval: event.target.value });
          }}
        />
      </label>
      {caller === null ? null : (
        <p class="left-today">
          {formatUsd(caller.daily_usd.left)} of {formatUsd(caller.daily_usd.max)} left today
        </p>
      )}
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
