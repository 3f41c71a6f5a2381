/**
 * Many small writes as one: what is asked for in one turn of the event loop is done together, and made durable together.
 *
 * A burst of requests to one object would else wait for as many commits, one after the other. In memory only: what was not
 * done when the object dies was never answered.
 */

export interface Batch {
  /** Runs `task` with the others of this turn; resolves when `commit` has. A task that throws rejects alone. */
  add<T>(task: () => T): Promise<T>;
}

/** `commit` runs the tasks it is given, once, synchronously, and resolves when what they wrote is to be told. */
export function createBatch(commit: (runTasks: () => void) => Promise<void>): Batch {
  let waiting: { run(): void; settle(): void; fail(error: unknown): void }[] = [];

  const flush = async (): Promise<void> => {
    const tasks = waiting;
    waiting = [];
    try {
      await commit(() => {
        for (const task of tasks) task.run();
      });
      for (const task of tasks) task.settle();
    } catch (error) {
      for (const task of tasks) task.fail(error);
    }
  };

  return {
    add<T>(task: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        let settle = (): void => reject(new Error("The task was not run."));
        waiting.push({
          run() {
            try {
              const value = task();
              settle = () => resolve(value);
            } catch (error) {
              settle = () => reject(error);
            }
          },
          settle: () => settle(),
          fail: reject,
        });
        // After everything that has arrived already.
        if (waiting.length === 1) setTimeout(() => void flush(), 0);
      });
    },
  };
}
