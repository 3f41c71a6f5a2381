/**
 * How a command of ours ends: what it tidies up, at whatever moment it is told to stop.
 *
 * Owns: signals and the exit of the process. Leaves to others: what is tidied (each command registers its own).
 */

export interface ProcessEnd {
  /** Runs `tidy` when the process exits, last registered first. It must be synchronous and must not throw. */
  onExit(tidy: () => void): void;
  /**
   * From now on the first Ctrl-C calls `stop` and does not end the process; a second one does. Before, Ctrl-C ends the
   * process at once.
   */
  onInterrupt(stop: () => void): void;
}

/** Exit codes that shells expect of a process ended by a signal: 128 and the signal's number. */
export const INTERRUPTED_EXIT_CODE = 130;
const SIGNAL_EXIT_CODES = { SIGTERM: 143, SIGHUP: 129 } as const;

/** Takes over the signals of this process. To be called once. */
export function takeOverSignals(): ProcessEnd {
  const tidies: (() => void)[] = [];
  let stop: (() => void) | null = null;
  process.on("exit", () => {
    for (const tidy of tidies.toReversed()) tidy();
  });
  process.on("SIGINT", () => {
    if (stop === null) process.exit(INTERRUPTED_EXIT_CODE);
    const first = stop;
    stop = null;
    first();
  });
  for (const [signal, code] of Object.entries(SIGNAL_EXIT_CODES)) process.on(signal, () => process.exit(code));
  // The reader of a pipe may leave early (`| head -1`): that is no failure of ours.
  process.stdout.on("error", () => process.exit());
  return {
    onExit(tidy) {
      tidies.push(tidy);
    },
    onInterrupt(given) {
      stop = given;
    },
  };
}
