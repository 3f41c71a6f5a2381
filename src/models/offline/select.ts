/**
 * A SELECT as data: sources joined in order, outputs, conditions, grouping, order. Made by build-query.ts, written out
 * by sql-writer.ts. Subselects never look outward, so each can be written alone. Types only.
 */
import type { Literal } from "./intent.ts";
import type { Operator } from "./keys.ts";
import type { PeriodUnit } from "./vocabulary.ts";

/** A table in FROM; joined to an earlier source unless it is the first. */
export interface Source {
  readonly id: number;
  readonly table: string;
  readonly join: {
    readonly to: number;
    readonly pairs: readonly (readonly [earlier: string, own: string])[];
    readonly optional: boolean;
  } | null;
}

export type Expression =
  | { readonly kind: "column"; readonly source: number; readonly name: string }
  | { readonly kind: "period"; readonly unit: PeriodUnit; readonly of: Expression; readonly isNumber: boolean }
  | { readonly kind: "ratio"; readonly of: Expression; readonly by: string }
  /** 1 for the first row of each group, and on. */
  | {
      readonly kind: "place";
      readonly within: readonly Expression[];
      readonly by: Expression;
      readonly descending: boolean;
    }
  /** The group's part of all, in percent. */
  | { readonly kind: "share"; readonly of: Expression }
  | { readonly kind: "day"; readonly of: Expression }
  | { readonly kind: "number"; readonly of: Expression }
  | { readonly kind: "joined"; readonly parts: readonly Expression[] }
  | { readonly kind: "product"; readonly factors: readonly Expression[]; readonly discount: Expression | null }
  | { readonly kind: "call"; readonly function: string; readonly distinct: boolean; readonly of: Expression | null }
  | { readonly kind: "literal"; readonly value: Literal };

export type Predicate =
  | { readonly kind: "compare"; readonly left: Expression; readonly operator: Operator; readonly right: Expression }
  | { readonly kind: "between"; readonly of: Expression; readonly low: Literal; readonly high: Literal }
  | {
      readonly kind: "in_list";
      readonly of: Expression;
      readonly values: readonly Literal[];
      readonly negated: boolean;
    }
  | {
      readonly kind: "like";
      readonly of: Expression;
      readonly text: string;
      readonly at: "any" | "start" | "end";
      readonly negated: boolean;
    }
  | { readonly kind: "null"; readonly of: Expression; readonly negated: boolean }
  | {
      readonly kind: "in_select";
      readonly of: readonly Expression[];
      readonly select: Select;
      readonly negated: boolean;
    }
  | { readonly kind: "compare_select"; readonly left: Expression; readonly operator: Operator; readonly select: Select }
  | { readonly kind: "and" | "or"; readonly parts: readonly Predicate[] };

export interface SelectOutput {
  readonly expression: Expression;
  readonly alias: string | null;
}

export interface Select {
  readonly sources: readonly Source[];
  readonly outputs: readonly SelectOutput[];
  readonly distinct: boolean;
  readonly where: readonly Predicate[];
  readonly groupBy: readonly Expression[];
  readonly having: readonly Predicate[];
  readonly orderBy: readonly { readonly expression: Expression; readonly descending: boolean }[];
  readonly limit: number | null;
  /** Names that are to be written in quotes although they look plain, in small letters. */
  readonly quoted?: ReadonlySet<string> | undefined;
}
