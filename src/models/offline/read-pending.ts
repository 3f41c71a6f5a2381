/**
 * Ends the wait of a column that was named without a comparison: absent (`no company`), present (`with a fax`), or a
 * yes-or-no (`official`). Pure, but for the reader's state.
 */
import type { Condition, Literal } from "./intent.ts";
import type { Reader } from "./reader.ts";
import { addHere, tablesAround } from "./reader.ts";
import { columnOfRef } from "./resolve.ts";
import type { ColumnNode } from "./schema-graph.ts";
import { createScope, nearestScope } from "./scopes.ts";

/** A column named without a comparison: absent (`no company`), present (`with a fax`), or a flag (`official`). */
export function flushPending(reader: Reader): void {
  const pending = reader.pending;
  reader.pending = null;
  if (pending === null) return;
  const column = columnOfRef(pending.ref, reader.context, tablesAround(reader));
  if (column === null) return;
  if (column.kind === "flag") {
    const condition: Condition = { kind: "one_of", column, values: truthOf(column), negated: false };
    const { latest } = reader;
    if (pending.negated && latest !== null && latest.parent !== null && latest.table === column.table) {
      // `English is not the official language`: no row has both.
      latest.negated = true;
      latest.conditions.push(condition);
      reader.negated = false;
      return;
    }
    addHere(reader, column, condition, pending.negated);
    if (pending.negated) reader.negated = false;
    return;
  }
  const near = nearestScope(reader.context, reader.scope, column.table);
  const own = column.table === near.table;
  if (column.isKey && !pending.negated) return;
  if (pending.negated) {
    reader.negated = false;
    if (own) addHere(reader, column, { kind: "empty", column, negated: false }, false);
    else {
      reader.latest = createScope(column.table, near, true);
      reader.latest.negated = true;
    }
  } else if (/^(have|has|had|having|with)$/.test(pending.clause) && own && !column.notNull) {
    addHere(reader, column, { kind: "empty", column, negated: true }, false);
    reader.shown.push(column);
  } else if (/^(with|and)$/.test(pending.clause) && own) {
    reader.shown.push(column);
  }
}

/** How the column writes `true`; every usual way when no sample tells. */
function truthOf(column: ColumnNode): readonly Literal[] {
  const written = column.values.find((value) => /^(1|t|y|true|yes)$/i.test(value));
  if (written !== undefined) return [{ kind: "text", text: written }];
  const isText = /TEXT|CHAR/.test(column.type);
  if (/INT/.test(column.type) && !isText) return [{ kind: "number", text: "1" }];
  const texts = ["T", "Y", "true", "yes", "1"].map((text): Literal => ({ kind: "text", text }));
  return isText ? texts : [{ kind: "number", text: "1" }, ...texts];
}
