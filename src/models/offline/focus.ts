/** What a question shows, before ranking and grouping are joined to it. Types only. */
import type { Group, Output } from "./intent.ts";

/** What the outputs come to, before ranking and grouping are joined to them. */
export interface Focus {
  readonly outputs: Output[];
  readonly groups: Group[];
  readonly distinct: boolean;
}
