/**
 * The small parts that every view is made of: links, notices, waiting, refusals, SQL in colours, copying.
 */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { getSegments } from "sql-highlight";
import { keepOrder } from "../../lib/text-order.ts";
import type { Failure } from "./api.ts";
import { followLink } from "./router.ts";
import { SignIn, SignInAgain } from "./sign-in.tsx";

type Children = { readonly children?: ComponentChildren };

export function Link({
  to,
  children,
  ...rest
}: Children & { to: string; class?: string; "aria-current"?: "page" | undefined }) {
  return (
    <a href={to} onClick={(event: MouseEvent) => followLink(event, to)} {...rest}>
      {children}
    </a>
  );
}

export function Notice({ kind, title, children }: Children & { kind: "info" | "warning" | "error"; title: string }) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "error" ? "alert" : "status"}>
      <strong>{title}</strong>
      {children === undefined ? null : <div>{children}</div>}
    </div>
  );
}

/** What is shown instead of something that could not be had; a refused key asks for another. */
export function FailureNotice({ failure, onAgain }: { failure: Failure; onAgain?: () => void }) {
  if (failure.isAccess === true) return <SignInAgain failure={failure} />;
  if (failure.status === 401) return <SignIn />;
  return (
    <Notice kind="error" title={failure.title}>
      <p>{failure.detail}</p>
      {onAgain === undefined ? null : (
        <button type="button" class="button" onClick={onAgain}>
          Try again
        </button>
      )}
    </Notice>
  );
}

export function Waiting({ what }: { what: string }) {
  return (
    <p class="waiting" role="status">
      <span class="spinner" aria-hidden="true" />
      {what}
    </p>
  );
}

/** Something beside the point, made only when it is opened. */
export function Folded({ summary, children }: Children & { summary: string }) {
  const [isOpen, setOpen] = useState(false);
  const toggle = (event: Event): void => {
    if (event.target instanceof HTMLDetailsElement && event.target === event.currentTarget) setOpen(event.target.open);
  };
  return (
    <details class="folded" onToggle={toggle}>
      <summary>{summary}</summary>
      {isOpen ? children : null}
    </details>
  );
}

/** SQL in colours, as text nodes in elements of known classes. */
export function Sql({ text }: { text: string }) {
  return (
    <pre class="sql" tabindex={0}>
      <code>
        {getSegments(keepOrder(text)).map((segment) =>
          segment.name === "default" || segment.name === "whitespace" ? (
            segment.content
          ) : (
            <span class={`sql-${segment.name}`}>{segment.content}</span>
          ),
        )}
      </code>
    </pre>
  );
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  const copy = async (): Promise<void> => {
    const done = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    setCopied(done ? "yes" : "failed");
    setTimeout(() => setCopied("no"), 2_000);
  };
  return (
    <button type="button" class="button button-quiet" onClick={copy}>
      <span aria-live="polite">{copied === "yes" ? "Copied" : copied === "failed" ? "Not allowed" : label}</span>
    </button>
  );
}
