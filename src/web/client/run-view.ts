/**
 * From the events of a run, or the first few of them, to what the page shows: steps with their calls, what is going on
 * now, and the meters. A finished run is replayed by showing its first events, then more of them.
 *
 * Owns: reading the events' fields with nothing taken for granted. Pure: no I/O, no clock.
 */
import type { Row } from "../cells.ts";
import type { RunEvent } from "./api-types.ts";

export interface CallView {
  readonly id: string;
  readonly name: string;
  readonly sql: string | null;
  readonly status: "running" | "success" | "warning" | "error";
  /** What came of it; while it runs, what else than running it does. */
  readonly summary: string;
  readonly advice: readonly string[];
  readonly rows: number | null;
  readonly rowsRead: number;
  readonly durationMs: number;
  readonly ref: string | null;
  /** The first rows, as the model was shown them. */
  readonly preview: { readonly columns: readonly string[]; readonly rows: readonly Row[] } | null;
}

/** What went another way than planned, in words. */
export interface NoticeView {
  readonly kind: "retry" | "recovery" | "failure" | "ceiling" | "person";
  readonly text: string;
}

export interface StepView {
  readonly number: number;
  readonly thought: string;
  readonly calls: readonly CallView[];
  readonly notices: readonly NoticeView[];
  readonly startedAt: number;
  /** Null while the step goes on. */
  readonly finishedAt: number | null;
  readonly modelMs: number;
  readonly databaseMs: number;
  readonly costUsd: number;
}

export interface RunView {
  readonly steps: readonly StepView[];
  readonly startedAt: number | null;
  readonly lastAt: number | null;
  readonly costUsd: number;
  readonly reservedUsd: number;
  readonly rowsRead: number;
  readonly isFinished: boolean;
  /** One line on what is happening. */
  readonly doing: string;
}

type Draft = { -readonly [K in keyof StepView]: StepView[K] } & { calls: CallView[]; notices: NoticeView[] };

export function toRunView(events: readonly RunEvent[]): RunView {
  const steps = new Map<number, Draft>();
  let [costUsd, reservedUsd, rowsRead] = [0, 0, 0];
  for (const event of events) {
    if (event.type === "model_replied") costUsd = toNumber(event.cost_total_usd) ?? costUsd;
    reservedUsd = event.type === "step_started" ? (toNumber(event.reserved_usd) ?? 0) : reservedUsd;
    if (event.type === "model_replied" || event.type === "attempt_lost") reservedUsd = 0;
    if (event.step > 0) take(stepOf(steps, event), event);
    if (event.type === "tool_observed") rowsRead += toNumber(toObject(event.query).rows_read) ?? 0;
  }
  const last = events.at(-1);
  return {
    steps: [...steps.values()].toSorted((a, b) => a.number - b.number),
    startedAt: events[0] === undefined ? null : Date.parse(events[0].at),
    lastAt: last === undefined ? null : Date.parse(last.at),
    costUsd,
    reservedUsd,
    rowsRead,
    isFinished: last?.type === "run_finished",
    doing: tellDoing(last, steps),
  };
}

/** What a tool does, for a person. */
export function toToolTitle(name: string): string {
  const titles: { readonly [tool: string]: string } = {
    execute_read_only_sql: "Query",
    list_tables: "List of tables",
    describe_tables: "Look at tables",
    read_result: "More rows",
    final_answer: "Answer",
    ask_user: "Question back",
    notes: "Notes",
    plan: "Plan",
  };
  return titles[name] ?? name;
}

function stepOf(steps: Map<number, Draft>, event: RunEvent): Draft {
  const known = steps.get(event.step);
  if (known !== undefined) return known;
  const step: Draft = {
    number: event.step,
    thought: "",
    calls: [],
    notices: [],
    startedAt: Date.parse(event.at),
    finishedAt: null,
    modelMs: 0,
    databaseMs: 0,
    costUsd: 0,
  };
  steps.set(event.step, step);
  return step;
}

function take(step: Draft, event: RunEvent): void {
  switch (event.type) {
    case "model_replied":
    case "plan_followed":
      return takeReply(step, event);
    case "tool_observed":
      return takeObservation(step, event);
    case "step_finished":
    case "run_finished":
      step.finishedAt = Date.parse(event.at);
      return;
    case "attempt_lost":
      step.notices.push({ kind: "failure", text: "The server was interrupted here and asked again." });
      return;
    case "model_failed":
      step.notices.push({ kind: "failure", text: `The model could not be used: ${toText(event.message)}` });
      return;
    case "retry_scheduled":
      step.notices.push({ kind: "retry", text: `Trying again (attempt ${toNumber(event.attempt) ?? 2}).` });
      return;
    case "approval_asked":
    case "approval_decided":
    case "question_asked":
    case "question_answered":
      step.notices.push({ kind: "person", text: tellPerson(event) });
      for (const [index, call] of step.calls.entries()) {
        if (call.status !== "running") continue;
        step.calls[index] = { ...call, summary: event.type.endsWith("_asked") ? "Waiting" : "" };
      }
      return;
    case "recovery":
      step.notices.push({ kind: "recovery", text: toText(event.message) });
      return;
    case "ceiling_reached":
      step.notices.push({ kind: "ceiling", text: `A limit is reached: ${toText(event.reason).replaceAll("_", " ")}.` });
      return;
  }
}

/** What was asked of a person, or said by one. */
function tellPerson(event: RunEvent): string {
  const queries = toList(event.queries).length;
  switch (event.type) {
    case "approval_asked":
      return queries === 1 ? "Asked whether the query may run." : `Asked whether ${queries} queries may run.`;
    case "approval_decided": {
      const said = event.decision === "approved" ? "allowed it" : "did not allow it";
      const note = toText(event.note);
      return `${toText(event.by)} ${said}${note === "" ? "." : `: “${note}”`}`;
    }
    case "question_asked":
      return `Asked: “${toText(event.question)}”`;
    default:
      return `${toText(event.by)} answered: “${toText(event.reply)}”`;
  }
}

function takeReply(step: Draft, event: RunEvent): void {
  step.thought = [step.thought, toText(event.text)].filter((text) => text !== "").join("\n\n");
  step.modelMs += toNumber(event.duration_ms) ?? 0;
  step.costUsd += toNumber(event.cost_usd) ?? 0;
  for (const call of toList(event.calls).map(toObject)) {
    const input = toObject(call.input);
    step.calls.push({
      id: toText(call.id),
      name: toText(call.name),
      sql: typeof input.sql === "string" ? input.sql : null,
      status: "running",
      summary: "",
      advice: [],
      rows: null,
      rowsRead: 0,
      durationMs: 0,
      ref: null,
      preview: null,
    });
  }
}

function takeObservation(step: Draft, event: RunEvent): void {
  const id = toText(event.call_id);
  const observation = toObject(event.observation);
  const query = toObject(event.query);
  const data = toObject(observation.data);
  const seen = toText(observation.status);
  const index = step.calls.findIndex((call) => call.id === id && call.status === "running");
  const before = step.calls[index];
  const columns = toList(data.columns).filter((name) => typeof name === "string");
  const rows = toList(data.rows).map(toList);
  const sql = typeof query.sql === "string" ? query.sql : (before?.sql ?? null);
  const observed: CallView = {
    id,
    name: toText(event.name) || (before?.name ?? ""),
    sql,
    status: seen === "error" ? "error" : seen === "warning" ? "warning" : "success",
    summary: toText(observation.summary),
    advice: toList(observation.next_actions).filter((text) => typeof text === "string"),
    rows: toNumber(query.rows),
    rowsRead: toNumber(query.rows_read) ?? 0,
    durationMs: toNumber(event.duration_ms) ?? 0,
    ref: typeof query.ref === "string" ? query.ref : null,
    preview: columns.length > 0 ? { columns, rows } : null,
  };
  step.databaseMs += event.query === null || event.query === undefined ? 0 : observed.durationMs;
  if (before === undefined) step.calls.push(observed);
  else step.calls[index] = observed;
}

function tellDoing(last: RunEvent | undefined, steps: ReadonlyMap<number, Draft>): string {
  if (last === undefined) return "Starting";
  const running = steps.get(last.step)?.calls.find((call) => call.status === "running");
  switch (last.type) {
    case "run_finished":
      return "Finished";
    case "step_started":
      return `Step ${last.step}: the model is thinking`;
    case "retry_scheduled":
      return "Waiting to try the model again";
    case "approval_asked":
    case "question_asked":
      return "Waiting for your word";
    default:
      if (running !== undefined) return `Step ${last.step}: ${running.sql === null ? "working" : "running the query"}`;
      return last.step === 0 ? "Starting" : `Step ${last.step} is done`;
  }
}

function toObject(value: unknown): { readonly [field: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function toNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
