/**
 * Assertions guard what must be true of our own code. They are always on and are never caught to steer control flow:
 * a failing one is a bug, ends the run as `failed` with reason `error`, and is logged (invariant L4). Pure.
 */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

/** Throws an `AssertionError` naming the broken rule unless `condition` holds. */
export function assert(condition: boolean, rule: string): asserts condition {
  if (!condition) throw new AssertionError(rule);
}

/** For the end of an exhaustive switch: a value that the types say cannot exist. */
export function unreachable(value: never, what: string): never {
  throw new AssertionError(`${what}: unexpected ${JSON.stringify(value)}`);
}
