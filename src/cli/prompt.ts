/**
 * A prompt on a terminal: text to standard error, a line back from standard input. Standard output stays the answer's.
 *
 * The terminal is left as it is (no raw mode), so Ctrl-C still ends the command as it always does.
 */
import { createInterface } from "node:readline";
import type { Person } from "./person.ts";

export interface PromptStreams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Whether somebody sits there to be asked. */
export function isTerminal({ input, output }: PromptStreams): boolean {
  return input.isTTY === true && output.isTTY === true;
}

/** The person at these streams; `signal` ends a prompt that nobody answers any more. */
export function openPrompt(streams: PromptStreams, signal: AbortSignal, note: (text: string) => void): Person {
  return {
    note,
    hasLeft: () => signal.aborted,
    ask(text) {
      if (!isTerminal(streams) || signal.aborted) return Promise.resolve(null);
      const lines = createInterface({ input: streams.input, output: streams.output, terminal: false });
      return new Promise((resolve) => {
        const end = (said: string | null): void => {
          signal.removeEventListener("abort", onAbort);
          resolve(said);
          lines.close();
        };
        const onAbort = (): void => end(null);
        signal.addEventListener("abort", onAbort);
        // A closed input is an answer too: nobody is there any more.
        lines.on("close", onAbort);
        lines.question(text, end);
      });
    },
  };
}
