/**
 * What can be done with a finished run: its queries once more with no model, its question to a model anew, or another
 * question. Each makes a run of its own.
 */
import { useState } from "preact/hooks";
import { type Answer, api, type Failure } from "./api.ts";
import type { Run } from "./api-types.ts";
import { FailureNotice, Link } from "./parts.tsx";
import { navigate } from "./router.ts";

export function NextSteps({ run }: { run: Run }) {
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const open = async (asked: Promise<Answer<Run>>): Promise<void> => {
    setSending(true);
    const answered = await asked;
    setSending(false);
    if (answered.ok) navigate(`/runs/${answered.value.id}`);
    else setFailure(answered.failure);
  };
  return (
    <section class="next" aria-label="What next">
      {run.links.again === undefined ? null : (
        <button type="button" class="button" disabled={isSending} onClick={() => void open(api.again(run.id))}>
          Run again without a model
        </button>
      )}
      {run.again === null ? null : (
        <button
          type="button"
          class="button"
          disabled={isSending}
          onClick={() => void open(api.ask(run.question, {}, "", run.approve_above_rows))}
        >
          Ask a model anew
        </button>
      )}
      <Link to="/">Ask another question</Link>
      {failure === null ? null : <FailureNotice failure={failure} />}
    </section>
  );
}
