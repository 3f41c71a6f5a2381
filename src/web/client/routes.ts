/**
 * The page's addresses: from a path to what is shown there. The worker knows the same ones (http/page.ts).
 * Pure: no I/O, no clock.
 */
export type Route =
  | { readonly kind: "ask" }
  | { readonly kind: "history" }
  | { readonly kind: "schema" }
  | { readonly kind: "run"; readonly id: string }
  | { readonly kind: "unknown" };

export function toRoute(path: string): Route {
  if (path === "/") return { kind: "ask" };
  if (path === "/history") return { kind: "history" };
  if (path === "/schema") return { kind: "schema" };
  const id = /^\/runs\/([a-z0-9_]+)$/i.exec(path)?.[1];
  return id === undefined ? { kind: "unknown" } : { kind: "run", id };
}
