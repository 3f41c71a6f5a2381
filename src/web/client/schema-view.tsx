/**
 * The tables, columns, keys and sample values that the caller may read, with a search over names.
 */
import { useEffect, useState } from "preact/hooks";
import { api } from "./api.ts";
import type { SchemaColumn, SchemaTable } from "./api-types.ts";
import { countOf } from "./format.ts";
import { useLoaded } from "./hooks.ts";
import { FailureNotice, Waiting } from "./parts.tsx";

const VALUES_SHOWN_MAX = 8;

export function SchemaView() {
  const { state, again } = useLoaded((signal) => api.schema(signal), []);
  const [search, setSearch] = useState("");
  useEffect(() => {
    document.title = "Schema · Querent";
  }, []);
  if (state.kind === "failed" && state.failure.status === 401) return <FailureNotice failure={state.failure} />;
  return (
    <section aria-labelledby="schema-title">
      <div class="heading">
        <h1 id="schema-title">Schema</h1>
        <label class="search">
          <span class="sr-only">Search tables and columns</span>
          <input
            type="search"
            placeholder="Search tables and columns"
            value={search}
            onInput={(event: Event) => {
              if (event.target instanceof HTMLInputElement) setSearch(event.target.value);
            }}
          />
        </label>
      </div>
      {state.kind === "loading" ? <Waiting what="Reading the schema" /> : null}
      {state.kind === "failed" ? <FailureNotice failure={state.failure} onAgain={again} /> : null}
      {state.kind === "loaded" ? <Tables tables={state.value.tables} search={search} /> : null}
    </section>
  );
}

function Tables({ tables, search }: { tables: readonly SchemaTable[]; search: string }) {
  const wanted = search.trim().toLowerCase();
  const found = tables.filter(
    (table) =>
      table.name.toLowerCase().includes(wanted) ||
      table.columns.some((column) => column.name.toLowerCase().includes(wanted)),
  );
  return (
    <>
      <p class="muted" role="status">
        {countOf(found.length, "table")} that you may read
      </p>
      <div class="schema">
        {found.map((table) => (
          <TableCard key={table.name} table={table} />
        ))}
      </div>
    </>
  );
}

function TableCard({ table }: { table: SchemaTable }) {
  const rows = table.rows === null ? null : `${countOf(table.rows, "row")}${table.has_more_rows ? " or more" : ""}`;
  const about = [table.kind === "view" ? "view" : null, rows, ...table.tags]
    .filter((text) => text !== null)
    .join(" · ");
  return (
    <article class="card" id={anchorOf(table.name)}>
      <h2>
        <bdi>{table.name}</bdi>
      </h2>
      <p class="muted">{about}</p>
      <ul class="schema-columns">
        {table.columns.map((column) => (
          <li>
            <ColumnLine column={column} />
          </li>
        ))}
      </ul>
    </article>
  );
}

function ColumnLine({ column }: { column: SchemaColumn }) {
  const values = column.values ?? [];
  return (
    <>
      <bdi class="column-name">{column.name}</bdi> <span class="column-type">{column.type.toLowerCase()}</span>
      {column.primary_key > 0 ? <span class="tag">key</span> : null}
      {column.masked ? <span class="tag">masked</span> : null}
      {column.generated ? <span class="tag">computed</span> : null}
      {column.references === null ? null : (
        <a class="column-reference" href={`#${anchorOf(column.references.table)}`}>
          → {column.references.table}.{column.references.column}
        </a>
      )}
      {values.length === 0 ? null : (
        <span class="column-values">
          {values.slice(0, VALUES_SHOWN_MAX).join(", ")}
          {column.has_more_values || values.length > VALUES_SHOWN_MAX ? ", …" : ""}
        </span>
      )}
    </>
  );
}

function anchorOf(table: string): string {
  return `table-${encodeURIComponent(table)}`;
}
