/**
 * The first view: a question, what could be asked, and what there is to ask about.
 */
import { useEffect } from "preact/hooks";
import { api } from "./api.ts";
import type { Schema } from "./api-types.ts";
import { AskForm } from "./ask-form.tsx";
import { exampleQuestions } from "./example-questions.ts";
import { countOf } from "./format.ts";
import { useLoaded } from "./hooks.ts";
import { FailureNotice, Link, Waiting } from "./parts.tsx";

const TABLES_SHOWN_MAX = 40;

export function AskView() {
  const { state, again } = useLoaded((signal) => api.schema(signal), []);
  useEffect(() => {
    document.title = "Ask · Querent";
  }, []);
  if (state.kind === "failed" && state.failure.status === 401) return <FailureNotice failure={state.failure} />;
  return (
    <div class="ask">
      <div class="ask-main">
        <h1>What do you want to know?</h1>
        <AskForm examples={state.kind === "loaded" ? exampleQuestions(state.value) : []} />
      </div>
      <aside class="ask-side" aria-labelledby="scope-title">
        <h2 id="scope-title">Tables you can ask about</h2>
        {state.kind === "loading" ? <Waiting what="Reading the schema" /> : null}
        {state.kind === "failed" ? <FailureNotice failure={state.failure} onAgain={again} /> : null}
        {state.kind === "loaded" ? <TablesInScope schema={state.value} /> : null}
      </aside>
    </div>
  );
}

function TablesInScope({ schema }: { schema: Schema }) {
  if (schema.tables.length === 0)
    return <p class="muted">There are none. The database is empty, or your key may read nothing.</p>;
  const shown = schema.tables.slice(0, TABLES_SHOWN_MAX);
  return (
    <>
      <ul class="tables">
        {shown.map((table) => (
          <li>
            <details>
              <summary>
                <bdi>{table.name}</bdi>
                <span class="muted">
                  {table.rows === null
                    ? table.kind
                    : `${countOf(table.rows, "row")}${table.has_more_rows ? " or more" : ""}`}
                </span>
              </summary>
              <p class="columns">{table.columns.map((column) => column.name).join(", ")}</p>
            </details>
          </li>
        ))}
      </ul>
      <Link to="/schema">
        {schema.tables.length > shown.length ? `All ${schema.tables.length} tables` : "Columns, keys and values"}
      </Link>
    </>
  );
}
