/**
 * The page's addresses: from a path to what is shown there. Pure but for `navigate`, which changes the address.
 */
export type Route =
  | { readonly kind: "ask" }
  | { readonly kind: "history" }
  | { readonly kind: "schema" }
  | { readonly kind: "run"; readonly id: string }
  | { readonly kind: "unknown" };

/** Told after every `navigate`. The browser's own back and forward come as `popstate`. */
export const NAVIGATED = "querent:navigated";

export function toRoute(path: string): Route {
  if (path === "/") return { kind: "ask" };
  if (path === "/history") return { kind: "history" };
  if (path === "/schema") return { kind: "schema" };
  const id = /^\/runs\/([a-z0-9_]+)$/i.exec(path)?.[1];
  return id === undefined ? { kind: "unknown" } : { kind: "run", id };
}

export function navigate(path: string): void {
  history.pushState(null, "", path);
  window.dispatchEvent(new Event(NAVIGATED));
}

/** A link that the page follows itself, unless the person wants another tab or window. */
export function followLink(event: MouseEvent, path: string): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  navigate(path);
}
