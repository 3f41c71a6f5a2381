/**
 * The caller's runs, newest first, with a search over their questions. The API pages them; a search reads on through
 * older pages until it has looked at enough.
 */
import { useEffect, useState } from "preact/hooks";
import { api, type Failure } from "./api.ts";
import type { ListedRun } from "./api-types.ts";
import { countOf, formatAgo, formatUsd } from "./format.ts";
import { FailureNotice, Link, Waiting } from "./parts.tsx";

const PAGE_RUNS = 50;
/** Runs that a search looks through by itself. */
const SEARCHED_MAX = 1_000;

interface Pages {
  readonly runs: readonly ListedRun[];
  /** Null: the last page is here. */
  readonly cursor: string | null;
  readonly isFirst: boolean;
}

export function HistoryView() {
  const [pages, setPages] = useState<Pages>({ runs: [], cursor: null, isFirst: true });
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isLoading, setLoading] = useState(true);
  const [search, setSearch] = useState("");
  const load = async (): Promise<void> => {
    setLoading(true);
    const answered = await api.runs(pages.cursor, PAGE_RUNS);
    setLoading(false);
    setFailure(answered.ok ? null : answered.failure);
    if (!answered.ok) return;
    setPages({ runs: [...pages.runs, ...answered.value.runs], cursor: answered.value.next_cursor, isFirst: false });
  };
  useEffect(() => {
    document.title = "History · Querent";
    void load();
  }, []);
  const wanted = search.trim().toLowerCase();
  const found = pages.runs.filter((run) => run.question.toLowerCase().includes(wanted));
  const isSearching = wanted !== "" && pages.cursor !== null && pages.runs.length < SEARCHED_MAX;
  useEffect(() => {
    if (isSearching && !isLoading && failure === null) void load();
  }, [isSearching, isLoading, pages]);
  if (failure?.status === 401) return <FailureNotice failure={failure} />;
  return (
    <section aria-labelledby="history-title">
      <div class="heading">
        <h1 id="history-title">Your questions</h1>
        <label class="search">
          <span class="sr-only">Search your questions</span>
          <input
            type="search"
            placeholder="Search"
            value={search}
            onInput={(event: Event) => {
              if (event.target instanceof HTMLInputElement) setSearch(event.target.value);
            }}
          />
        </label>
      </div>
      {failure !== null ? (
        <FailureNotice failure={failure} onAgain={() => void load()} />
      ) : pages.isFirst ? (
        <Waiting what="Loading" />
      ) : (
        <RunTable runs={found} isFiltered={wanted !== ""} isMore={isSearching} />
      )}
      {failure === null && pages.cursor !== null && !isSearching ? (
        <button type="button" class="button" disabled={isLoading} onClick={() => void load()}>
          Older questions
        </button>
      ) : null}
    </section>
  );
}

function RunTable({ runs, isFiltered, isMore }: { runs: readonly ListedRun[]; isFiltered: boolean; isMore: boolean }) {
  if (runs.length === 0 && isMore) return <Waiting what="Searching older questions" />;
  if (runs.length === 0) {
    return (
      <p class="empty">
        {isFiltered ? "No question of yours says that." : "Nothing asked yet. "}
        {isFiltered ? null : <Link to="/">Ask the first question</Link>}
      </p>
    );
  }
  const now = Date.now();
  return (
    <>
      <p class="muted" role="status">
        {countOf(runs.length, "question")}
        {isMore ? ", searching on" : ""}
      </p>
      <ul class="runs">
        {runs.map((run) => (
          <li class="run-item">
            <Link to={`/runs/${run.id}`} class="run-link">
              <bdi class="run-question">{run.question}</bdi>
              <span class={`badge badge-${run.outcome ?? "running"}`}>{run.outcome ?? "not finished"}</span>
              <span class="run-cost">{formatUsd(run.cost_usd)}</span>
              <time datetime={run.created_at}>{formatAgo(Date.parse(run.created_at), now)}</time>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
