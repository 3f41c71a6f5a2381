/**
 * Lets readers in this object wait for the next save: the long poll behind the event stream. In memory only; a reader
 * whose object was restarted asks again with the number it has.
 */

export interface Bell {
  /** Resolves at the next ring, or after `waitMs`. */
  wait(waitMs: number): Promise<void>;
  ring(): void;
}

export function createBell(): Bell {
  const waiting = new Set<() => void>();
  return {
    wait: (waitMs) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, waitMs);
        waiting.add(done);
      }),
    ring: () => {
      for (const done of [...waiting]) done();
    },
  };
}
