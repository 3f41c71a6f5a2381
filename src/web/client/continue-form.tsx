/**
 * Carries a stopped run on: a new run from its last checkpoint, under the limit that ended it, raised. What was spent
 * stays spent.
 */
import { useState } from "preact/hooks";
import { api, type Failure } from "./api.ts";
import type { Run } from "./api-types.ts";
import { formatCount, formatUsd, tellSpent } from "./format.ts";
import { useLoaded } from "./hooks.ts";
import { fieldsToRaise, proposeLimit, readLimits } from "./limits.ts";
import { FailureNotice } from "./parts.tsx";
import { navigate } from "./router.ts";

export function ContinueForm({ run }: { run: Run }) {
  const fields = fieldsToRaise(run.stop_reason, run.limits, run.usage);
  const { state } = useLoaded((signal) => api.caller(signal), []);
  const max = state.kind === "loaded" ? state.value.limits.max : null;
  // What nobody has typed over follows the proposal, which is lower once the maximum is known.
  const [typed, setTyped] = useState<{ readonly [name: string]: string }>({});
  const texts = Object.fromEntries(
    fields.map(({ name }) => [name, typed[name] ?? String(proposeLimit(run.limits[name] ?? 1, max?.[name]))]),
  );
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const read = readLimits(texts, max);
    if (!read.ok) {
      setFailure({ status: 400, title: "That limit is not right", detail: read.detail });
      return;
    }
    setSending(true);
    const answered = await api.continue(run.id, read.limits);
    setSending(false);
    if (answered.ok) navigate(`/runs/${answered.value.id}`);
    else setFailure(answered.failure);
  };
  return (
    <form class="continue" onSubmit={(event: Event) => void submit(event)} aria-label="Continue this run" noValidate>
      {fields.map(({ name, label }) => (
        <label>
          {label} (was {tell(name, run.limits[name])}
          {max?.[name] === undefined ? "" : `, up to ${tell(name, max[name])}`})
          <input
            type="number"
            inputmode="decimal"
            min="0"
            step="any"
            max={max?.[name]}
            value={texts[name] ?? ""}
            onInput={(event: Event) => {
              if (event.target instanceof HTMLInputElement) setTyped({ ...typed, [name]: event.target.value });
            }}
          />
        </label>
      ))}
      <button type="submit" class="button button-main" disabled={isSending}>
        {fields.length === 0 ? "Continue" : "Continue with this limit"}
      </button>
      <p class="muted">
        Goes on where it stopped.
        {run.usage.cost_usd > 0 ? ` What was spent so far, ${tellSpent(run.usage)}, counts.` : ""}
      </p>
      {failure === null ? null : <FailureNotice failure={failure} />}
    </form>
  );
}

function tell(name: string, value = 0): string {
  return name === "budget_usd" ? formatUsd(value) : formatCount(value);
}
