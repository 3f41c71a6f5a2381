/**
 * What a question asks for, in terms of the schema and before any SQL: rows of which table, shown how, under which
 * conditions, grouped, ranked and ordered. Made by read-question.ts, turned into SQL by build-query.ts. Types only.
 */
import type { Operator } from "./keys.ts";
import type { ColumnNode } from "./schema-graph.ts";
import type { PeriodUnit } from "./vocabulary.ts";

export type AggregateFunction = "avg" | "sum" | "min" | "max";

/** Something computed over rows. */
export type Measure =
  /** Rows of a table; null stands for the question's own table. */
  | { readonly kind: "count"; readonly table: string | null }
  | { readonly kind: "count_distinct"; readonly column: ColumnNode }
  | { readonly kind: "aggregate"; readonly function: AggregateFunction; readonly column: ColumnNode }
  /** Price times quantity, less the discount if there is one. */
  | {
      readonly kind: "line_total";
      readonly function: AggregateFunction;
      readonly columns: readonly ColumnNode[];
      readonly discount: ColumnNode | null;
    };

export type Output =
  | { readonly kind: "entity"; readonly table: string }
  | { readonly kind: "column"; readonly column: ColumnNode }
  | { readonly kind: "all"; readonly table: string }
  | { readonly kind: "measure"; readonly measure: Measure };

export type Group =
  | { readonly kind: "entity"; readonly table: string }
  | { readonly kind: "column"; readonly column: ColumnNode }
  | { readonly kind: "period"; readonly unit: PeriodUnit; readonly column: ColumnNode };

export type Literal =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "number"; readonly text: string };

export type Condition =
  | { readonly kind: "compare"; readonly column: ColumnNode; readonly operator: Operator; readonly value: Literal }
  | { readonly kind: "between"; readonly column: ColumnNode; readonly low: Literal; readonly high: Literal }
  | {
      readonly kind: "one_of";
      readonly column: ColumnNode;
      readonly values: readonly Literal[];
      readonly negated: boolean;
    }
  | {
      readonly kind: "contains";
      readonly column: ColumnNode;
      readonly text: string;
      readonly at: "any" | "start" | "end";
      readonly negated: boolean;
    }
  /** Half-open; either end may be open. */
  | {
      readonly kind: "during";
      readonly column: ColumnNode;
      readonly from: string | null;
      readonly to: string | null;
      readonly negated: boolean;
    }
  | { readonly kind: "empty"; readonly column: ColumnNode; readonly negated: boolean }
  | { readonly kind: "versus_average"; readonly column: ColumnNode; readonly operator: Operator }
  | { readonly kind: "columns"; readonly left: ColumnNode; readonly operator: Operator; readonly right: ColumnNode }
  | { readonly kind: "all_of"; readonly conditions: readonly Condition[] }
  | { readonly kind: "any_of"; readonly conditions: readonly Condition[] }
  /** The column is the key of a row of `table` that holds the conditions (`reports to Andrew Fuller`). */
  | {
      readonly kind: "points_to";
      readonly column: ColumnNode;
      readonly table: string;
      readonly key: string;
      readonly conditions: readonly Condition[];
      readonly negated: boolean;
    }
  | Related;

/** Rows of another table belong to this row, and hold the conditions; perhaps a given number of them. */
export interface Related {
  readonly kind: "related";
  readonly table: string;
  readonly conditions: readonly Condition[];
  readonly negated: boolean;
  readonly having: Having | null;
  readonly rank: Rank | null;
}

export interface Having {
  readonly measure: Measure;
  readonly operator: Operator;
  readonly value: string;
}

export interface Rank {
  readonly by:
    | { readonly kind: "column"; readonly column: ColumnNode }
    | { readonly kind: "measure"; readonly measure: Measure };
  readonly descending: boolean;
  /** Null: the first and every row that is as good. */
  readonly limit: number | null;
}

export interface Order {
  readonly by:
    | { readonly kind: "column"; readonly column: ColumnNode }
    | { readonly kind: "measure"; readonly measure: Measure }
    | { readonly kind: "output"; readonly index: number };
  readonly descending: boolean;
}

export interface Intent {
  readonly root: string;
  readonly outputs: readonly Output[];
  readonly distinct: boolean;
  readonly groups: readonly Group[];
  readonly conditions: readonly Condition[];
  readonly having: readonly Having[];
  readonly rank: Rank | null;
  readonly orders: readonly Order[];
  /** The figure of the groups' figures that is wanted: the average number of tracks of an album. */
  readonly over: AggregateFunction | null;
  /** `in minutes`: what figures are to be told in. */
  readonly unit: string | null;
  /** The count is wanted as a percentage of all rows. */
  readonly share: boolean;
  /** Words of the question that found no use. */
  readonly unread: readonly string[];
}
