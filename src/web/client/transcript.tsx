/**
 * The whole journal of a run, loaded when it is opened: what was sent to the model and what it said, as it was stored.
 */
import { useState } from "preact/hooks";
import { type Failure, readTranscript, type TranscriptLine } from "./api.ts";
import { FailureNotice, Waiting } from "./parts.tsx";

export function Transcript({ runId }: { runId: string }) {
  const [lines, setLines] = useState<readonly TranscriptLine[] | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const open = async (event: Event): Promise<void> => {
    if (!(event.target instanceof HTMLDetailsElement) || !event.target.open || lines !== null) return;
    const answered = await readTranscript(runId);
    if (answered.ok) setLines(answered.value);
    else setFailure(answered.failure);
  };
  return (
    <details class="transcript" onToggle={(event: Event) => void open(event)}>
      <summary>Transcript</summary>
      {failure === null ? null : <FailureNotice failure={failure} />}
      {lines === null && failure === null ? <Waiting what="Loading" /> : null}
      {lines === null ? null : (
        <ol>
          {lines.map((line) => (
            <li>
              <details>
                <summary>{line.title}</summary>
                <pre tabindex={0}>{line.text}</pre>
              </details>
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}
