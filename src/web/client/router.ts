/**
 * Going from one address of the page to another without loading it anew.
 */

/** Told after every `navigate`. The browser's own back and forward come as `popstate`. */
export const NAVIGATED = "querent:navigated";

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
