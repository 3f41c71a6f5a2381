/** One task at a time: whoever asks while it runs waits for the same end. In memory only. */

export interface Once {
  isRunning(): boolean;
  /** Runs `task`, or waits for the one that is running. Rejects as that one does. */
  run(task: () => Promise<void>): Promise<void>;
}

export function createOnce(): Once {
  let running: Promise<void> | null = null;
  return {
    isRunning: () => running !== null,
    run: (task) => {
      running ??= task().finally(() => {
        running = null;
      });
      return running;
    },
  };
}
