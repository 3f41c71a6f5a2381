/**
 * Draws progress on a terminal: the lines of each event, and one line at the bottom that ticks while nothing happens.
 *
 * Owns: the screen. Leaves to others: the words (progress.ts). On anything that is no terminal it draws nothing.
 */
import type { WriteStream } from "node:tty";
import { styleText } from "node:util";
import { type ProgressLine, toProgressLines } from "./progress.ts";
import type { RunEvent } from "./run-events.ts";

export interface ProgressScreen {
  draw(event: RunEvent): void;
  /** Stops the ticking line while something else is written, or lets it tick again. */
  hold(isHeld: boolean): void;
  /** Takes the ticking line off. Nothing is drawn afterwards. */
  close(): void;
}

const TICK_MS = 100;
const WIDTH_DEFAULT = 80;
const ERASE_LINE = "\r\x1b[2K";

const STYLES = { plain: null, head: "bold", dim: "dim", sql: "cyan", bad: "yellow" } as const;

/** `stream` is a terminal, or null when progress is not wanted. */
export function openProgressScreen(stream: WriteStream | null): ProgressScreen {
  if (stream === null) return { draw: () => undefined, hold: () => undefined, close: () => undefined };
  const openedAt = performance.now();
  let startedAt: number | null = null;
  let doing = "starting";
  let isStill = false;
  const tick = setInterval(() => {
    if (isStill) return;
    const seconds = ((performance.now() - openedAt) / 1000).toFixed(1);
    stream.write(`${ERASE_LINE}${styled({ text: `… ${doing}, ${seconds} s`, style: "dim" }, stream)}`);
  }, TICK_MS);
  return {
    draw(event) {
      const at = event.at === undefined ? Number.NaN : Date.parse(event.at);
      startedAt ??= Number.isNaN(at) ? null : at;
      const elapsedMs = startedAt === null || Number.isNaN(at) ? performance.now() - openedAt : at - startedAt;
      doing = activityAfter(event) ?? doing;
      const lines = toProgressLines(event, elapsedMs, (stream.columns || WIDTH_DEFAULT) - 1);
      if (lines.length === 0) return;
      stream.write(`${ERASE_LINE}${lines.map((line) => styled(line, stream)).join("\n")}\n`);
    },
    hold(isHeld) {
      isStill = isHeld;
      if (isHeld) stream.write(ERASE_LINE);
    },
    close() {
      clearInterval(tick);
      stream.write(`${ERASE_LINE}\n`);
    },
  };
}

function activityAfter(event: RunEvent): string | null {
  switch (event.type) {
    case "step_started":
      return `step ${event.step ?? "?"}: the model is thinking`;
    case "model_replied":
      return `step ${event.step ?? "?"}: at work`;
    case "retry_scheduled":
      return "waiting to try again";
    default:
      return null;
  }
}

function styled(line: ProgressLine, stream: WriteStream): string {
  const style = STYLES[line.style];
  // `styleText` leaves colours out where NO_COLOR or the terminal says so.
  return style === null ? line.text : styleText(style, line.text, { stream });
}
