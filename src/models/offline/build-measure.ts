/**
 * The SQL of a figure (a count, a sum, an average, sales as price times quantity) over a draft's rows, and its name.
 * Pure, but for the draft it may extend with a join.
 */
import type { Measure } from "./intent.ts";
import type { Draft } from "./query-draft.ts";
import { columnAt, sourceOf } from "./query-draft.ts";
import { nodeOf } from "./resolve.ts";
import type { Expression } from "./select.ts";
import { readableName } from "./words.ts";

/** The measure over the draft's rows. Rows repeated by a join are counted once. */
export function measureExpression(draft: Draft, measure: Measure): Expression | null {
  switch (measure.kind) {
    case "count": {
      const table = measure.table ?? draft.root;
      const source = sourceOf(draft, 0, table);
      if (source === null) return null;
      const repeats = table === draft.root ? draft.repeats : true;
      const keys = nodeOf(draft.context, table).keys.map(
        (key): Expression => ({ kind: "column", source, name: key.name }),
      );
      if (!repeats || keys.length === 0) return { kind: "call", function: "count", distinct: false, of: null };
      const [only] = keys;
      const of: Expression = keys.length === 1 && only !== undefined ? only : { kind: "joined", parts: keys };
      return { kind: "call", function: "count", distinct: true, of };
    }
    case "count_distinct": {
      const of = columnAt(draft, 0, measure.column);
      return of === null ? null : { kind: "call", function: "count", distinct: true, of };
    }
    case "aggregate": {
      const of = columnAt(draft, 0, measure.column);
      return of === null ? null : { kind: "call", function: measure.function, distinct: false, of };
    }
    case "line_total": {
      const factors = measure.columns.map((column) => columnAt(draft, 0, column)).filter((factor) => factor !== null);
      const discount = measure.discount === null ? null : columnAt(draft, 0, measure.discount);
      return { kind: "call", function: measure.function, distinct: false, of: { kind: "product", factors, discount } };
    }
  }
}

/** What the figure's column is called. */
export function measureName(measure: Measure, root: string): string {
  const snake = (name: string): string =>
    readableName(name)
      .replace(/[^a-z0-9]+/g, "_")
      .replace(/^_|_$/g, "") || "value";
  switch (measure.kind) {
    case "count":
      return `${snake(measure.table ?? root)}_count`;
    case "count_distinct":
      return `distinct_${snake(measure.column.name)}`;
    case "aggregate": {
      const words = { avg: "average", sum: "total", min: "min", max: "max" }[measure.function];
      const name = snake(measure.column.name);
      return name.startsWith(words) ? `${snake(measure.column.table)}_${name}` : `${words}_${name}`;
    }
    case "line_total":
      return `${{ avg: "average", sum: "total", min: "min", max: "max" }[measure.function]}_sales`;
  }
}
