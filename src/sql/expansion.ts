/**
 * How often does a statement unfold its common tables? SQLite copies a common table at every place that reads it, and
 * the copies of its copies, while it compiles: twenty tables that each read the one before twice are a million copies,
 * and no verdict comes before the compilation ends. So this is decided from the text. Pure: no I/O, no clock; linear.
 */
import type { SqlRefusal } from "./refusal.ts";
import { foldName } from "./scopes.ts";
import type { CommonTable, StatementShape } from "./statement.ts";

/** Copies that are always allowed: they compile in a tenth of a second. Statements that people write have a few dozen. */
const COPIES_MAX = 1_000;
/** Copies for each place that reads a table: what a text spells out grows with its length, and no faster. */
const COPIES_PER_READ_MAX = 4;
/** Counting stops here. */
const COPIES_COUNTED_MAX = 1e9;

/** Refuses a statement that unfolds to more copies of its common tables than can be compiled in good time. */
export function checkExpansion(shape: StatementShape): SqlRefusal | null {
  if (shape.commonTables.length === 0) return null;
  const max = COPIES_MAX + COPIES_PER_READ_MAX * shape.tables.length;
  if (countCopies(shape) <= max) return null;
  return {
    code: "too_many_copies",
    message: `The statement unfolds to more than ${max.toLocaleString("en-US")} copies of its common tables.`,
    advice: ["Read each common table once or twice: aggregate early, or join it once and reuse the result."],
  };
}

/** Copies that the outermost query asks for; stops counting once past the bound. */
function countCopies(shape: StatementShape): number {
  const readsOf = groupReads(shape);
  const weights = new Map<CommonTable, number>();
  const weigh = (table: CommonTable): number => {
    const known = weights.get(table);
    if (known !== undefined) return known;
    // A table that reads itself is a recursion, which has a bound of its own: its own name weighs nothing.
    weights.set(table, 0);
    const weight = Math.max(1, sum(readsOf.get(table) ?? [], weigh));
    weights.set(table, weight);
    return weight;
  };
  // Inner tables first: a long chain is walked without deep recursion.
  for (const table of shape.commonTables) weigh(table);
  return sum(readsOf.get(null) ?? [], weigh);
}

function sum(tables: readonly CommonTable[], weigh: (table: CommonTable) => number): number {
  let total = 0;
  for (const table of tables) total = Math.min(total + weigh(table), COPIES_COUNTED_MAX);
  return total;
}

/** The common tables read by each body, nearest body only; `null` stands for the statement outside all bodies. */
function groupReads(shape: StatementShape): Map<CommonTable | null, CommonTable[]> {
  const byName = new Map<string, CommonTable>();
  // Of two tables of one name the later one counts: a shadowing table is seldom the cheaper of the two.
  for (const table of shape.commonTables) byName.set(foldName(table.name), table);
  const reads = new Map<CommonTable | null, CommonTable[]>();
  const bodies = [...shape.commonTables].sort((a, b) => a.bodyOpen - b.bodyOpen);
  const open: CommonTable[] = [];
  let next = 0;
  for (const reference of [...shape.tables].sort((a, b) => a.index - b.index)) {
    for (let body = bodies[next]; body !== undefined && body.bodyOpen < reference.index; body = bodies[next]) {
      while (open.length > 0 && (open.at(-1)?.bodyClose ?? 0) < body.bodyOpen) open.pop();
      open.push(body);
      next += 1;
    }
    while (open.length > 0 && (open.at(-1)?.bodyClose ?? 0) < reference.index) open.pop();
    const read = reference.qualifier === null ? byName.get(foldName(reference.name)) : undefined;
    if (read === undefined) continue;
    const owner = open.at(-1) ?? null;
    const found = reads.get(owner);
    if (found === undefined) reads.set(owner, [read]);
    else found.push(read);
  }
  return reads;
}
