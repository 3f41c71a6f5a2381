/**
 * The three budgets of a run as meters that fill: steps, seconds, dollars. What is held for a call that is under way
 * shows as a paler part.
 */
import type { Run } from "./api-types.ts";
import { formatUsd, tellSpent } from "./format.ts";
import type { RunView } from "./run-view.ts";

export interface MetersProps {
  readonly run: Run;
  readonly view: RunView;
  /** Epoch milliseconds up to which the run is shown. */
  readonly now: number;
  /** True while an earlier moment is shown. */
  readonly isReplay: boolean;
}

export function Meters({ run, view, now, isReplay }: MetersProps) {
  const isOver = run.status === "finished" && !isReplay;
  const elapsed = view.startedAt === null ? 0 : Math.max(0, now - view.startedAt) / 1_000;
  const seconds = isOver ? run.usage.active_ms / 1_000 : elapsed;
  const usd = isOver ? run.usage.cost_usd : view.costUsd;
  const spent = tellSpent({ cost_usd: usd, unbilled_usd: run.usage.unbilled_usd });
  const steps = isOver ? run.usage.steps : view.steps.length;
  const limit = (name: string): number => run.limits[name] ?? 0;
  return (
    <div class="meters">
      <Meter name="Steps" value={steps} max={limit("max_steps")} text={`${steps} of ${limit("max_steps")}`} held={0} />
      <Meter
        name="Seconds"
        value={seconds}
        max={limit("wall_clock_s")}
        text={`${seconds.toFixed(1)} of ${limit("wall_clock_s")}`}
        held={0}
      />
      <Meter
        name="Dollars"
        value={usd}
        max={limit("budget_usd")}
        text={`${spent} of ${formatUsd(limit("budget_usd"))}`}
        held={isOver ? 0 : view.reservedUsd}
      />
    </div>
  );
}

interface MeterProps {
  readonly name: string;
  readonly value: number;
  readonly max: number;
  readonly held: number;
  readonly text: string;
}

function Meter({ name, value, max, held, text }: MeterProps) {
  const share = (amount: number): string => `${Math.min(100, max > 0 ? (amount / max) * 100 : 0)}%`;
  return (
    <div class={max > 0 && value >= max ? "meter meter-full" : "meter"}>
      <span class="meter-name">{name}</span>
      <span class="meter-text">{text}</span>
      {/* biome-ignore lint/a11y/useSemanticElements: a meter element cannot show what is held beside what is spent. */}
      <div
        class="meter-bar"
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={Number(Math.min(value, max).toFixed(6))}
        aria-valuetext={text}
      >
        <div class="meter-held" style={{ width: share(value + held) }} />
        <div class="meter-value" style={{ width: share(value) }} />
      </div>
    </div>
  );
}
