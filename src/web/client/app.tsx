/**
 * The frame of every view: the bar with its links, what is said when the browser is offline, and which view it is.
 */
import { useEffect, useState } from "preact/hooks";

import { AskView } from "./ask-view.tsx";
import { HistoryView } from "./history-view.tsx";
import { useOnline } from "./hooks.ts";
import { Link, Notice } from "./parts.tsx";
import { NAVIGATED } from "./router.ts";
import { type Route, toRoute } from "./routes.ts";
import { RunScreen } from "./run-screen.tsx";
import { SchemaView } from "./schema-view.tsx";
import { hasKey, onKeyChange, setKey } from "./session.ts";

const LINKS: readonly { readonly to: string; readonly text: string; readonly kind: Route["kind"] }[] = [
  { to: "/", text: "Ask", kind: "ask" },
  { to: "/history", text: "History", kind: "history" },
  { to: "/schema", text: "Schema", kind: "schema" },
];

export function App() {
  const [path, setPath] = useState(location.pathname);
  const [session, setSession] = useState(0);
  const isOnline = useOnline();
  useEffect(() => {
    const update = (): void => {
      setPath(location.pathname);
      window.scrollTo(0, 0);
      // The reader's place is the new view; its own first field may take the focus after this.
      document.getElementById("content")?.focus({ preventScroll: true });
    };
    window.addEventListener("popstate", update);
    window.addEventListener(NAVIGATED, update);
    const stop = onKeyChange(() => setSession((count) => count + 1));
    return () => {
      window.removeEventListener("popstate", update);
      window.removeEventListener(NAVIGATED, update);
      stop();
    };
  }, []);
  const route = toRoute(path);
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="bar">
        <Link to="/" class="brand">
          Querent
        </Link>
        <nav aria-label="Main">
          {LINKS.map((link) => (
            <Link to={link.to} aria-current={route.kind === link.kind ? "page" : undefined}>
              {link.text}
            </Link>
          ))}
          {hasKey() ? (
            <button type="button" class="button button-quiet" onClick={() => setKey(null)}>
              Sign out
            </button>
          ) : null}
        </nav>
      </header>
      {isOnline ? null : (
        <div class="banner">
          <Notice kind="warning" title="You are offline.">
            What is running goes on without this page; it is shown again when the connection is back.
          </Notice>
        </div>
      )}
      <main id="content" class="page" tabindex={-1}>
        <View key={`${session} ${path}`} route={route} />
      </main>
    </>
  );
}

function View({ route }: { route: Route }) {
  switch (route.kind) {
    case "ask":
      return <AskView />;
    case "history":
      return <HistoryView />;
    case "schema":
      return <SchemaView />;
    case "run":
      return <RunScreen id={route.id} />;
    case "unknown":
      return (
        <section class="empty">
          <h1>There is nothing at this address.</h1>
          <Link to="/">Ask a question</Link>
        </section>
      );
  }
}
