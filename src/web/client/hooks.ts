/**
 * The hooks that several views share: loading something once, the time while it matters, the connection.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Answer, Failure } from "./api.ts";

export type Loaded<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "loaded"; readonly value: T };

/** Loads when the view appears and whenever `again` is called. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<Answer<T>>, on: readonly unknown[]) {
  const [state, setState] = useState<Loaded<T>>({ kind: "loading" });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    load(abort.signal).then(
      (answer) => {
        if (abort.signal.aborted) return;
        setState(answer.ok ? { kind: "loaded", value: answer.value } : { kind: "failed", failure: answer.failure });
      },
      () => undefined,
    );
    return () => abort.abort();
  }, [...on, round]);
  return { state, again: () => setRound((count) => count + 1) };
}

/** The time, anew every `everyMs` while `isRunning`. */
export function useNow(isRunning: boolean, everyMs: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [isRunning, everyMs]);
  return now;
}

/** Whether the browser thinks that it is online. */
export function useOnline(): boolean {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const update = (): void => setOnline(navigator.onLine);
    window.addEventListener("online", update);
    window.addEventListener("offline", update);
    // The line may have gone between the first picture and now.
    update();
    return () => {
      window.removeEventListener("online", update);
      window.removeEventListener("offline", update);
    };
  }, []);
  return isOnline;
}

/** Borders and rounding are no reason to scroll. */
const SLACK_PX = 4;

/** Whether a box holds more than it shows, down and sideways; looked at again after every change of its size. */
export function useOverflow(changed: unknown) {
  const box = useRef<HTMLElement>(null);
  const [overflow, setOverflow] = useState({ down: false, sideways: false });
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = (): void => {
      const down = element.scrollHeight > element.clientHeight + SLACK_PX;
      const sideways = element.scrollWidth > element.clientWidth + SLACK_PX;
      setOverflow((before) => (before.down === down && before.sideways === sideways ? before : { down, sideways }));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [changed]);
  return { box, overflow };
}
