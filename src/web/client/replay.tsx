/**
 * A finished run once more, event by event, from its journal: no model is called. A slider over the events, and a play
 * button that moves it.
 */
import { useEffect, useState } from "preact/hooks";

/** One event at a time, slow enough to read a line. */
const EVENT_MS = 700;

export interface ReplayProps {
  readonly total: number;
  /** Events shown; null: all, and the answer. */
  readonly shown: number | null;
  readonly onShow: (shown: number | null) => void;
}

export function Replay({ total, shown, onShow }: ReplayProps) {
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying || shown === null) return;
    const timer = setTimeout(() => {
      if (shown >= total) {
        setPlaying(false);
        onShow(null);
      } else onShow(shown + 1);
    }, EVENT_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, shown, total]);
  if (shown === null) {
    return (
      <button
        type="button"
        class="button"
        onClick={() => {
          onShow(1);
          setPlaying(true);
        }}
      >
        Replay
      </button>
    );
  }
  return (
    <fieldset class="replay">
      <legend class="sr-only">Replay</legend>
      <button type="button" class="button" onClick={() => setPlaying(!isPlaying)}>
        {isPlaying ? "Pause" : "Play"}
      </button>
      <input
        type="range"
        aria-label="Moment of the run"
        aria-valuetext={`Event ${shown} of ${total}`}
        min={1}
        max={total}
        value={shown}
        onInput={(event: Event) => {
          setPlaying(false);
          if (event.target instanceof HTMLInputElement) onShow(Number(event.target.value));
        }}
      />
      <span class="replay-place">
        {shown} of {total}
      </span>
      <button
        type="button"
        class="button"
        onClick={() => {
          setPlaying(false);
          onShow(null);
        }}
      >
        To the end
      </button>
    </fieldset>
  );
}
