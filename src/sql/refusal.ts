/**
 * The one shape in which this folder says no: gate, recursion bounds, scopes and cost all give it. Pure.
 */

/** Why a statement is not run. `message` says what is wrong, `advice` what to do instead. */
export interface SqlRefusal {
  /** snake_case; stored and counted, never read by a model. */
  readonly code: string;
  readonly message: string;
  readonly advice: readonly string[];
  /** Offset of the offending token in the text, where one is to blame. */
  readonly offset?: number;
}
