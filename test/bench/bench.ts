/**
 * `npm run bench -- [--steps 8,32,128] [--runs 1,20] [--rounds 5] [--only NAMES] [--against] [--out FILE]`: what the harness costs beside the
 * floor, on the same conversation, the same model server and the same database, in one run. Numbers of different
 * machines or different days are not comparable; the ratios are what counts.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Contender, openFloor, openQuerent } from "./contender.ts";
import { openPeers } from "./peers.ts";

interface Measured {
  readonly name: string;
  readonly steps: number;
  readonly runs_at_once: number;
  readonly wall_ms_a_run: number;
  readonly cpu_ms_a_run: number;
  readonly wall_ms_a_step: number;
  readonly cpu_ms_a_step: number;
  readonly value_bytes: number;
  readonly file_bytes: number;
}

const { values: given } = parseArgs({
  options: {
    steps: { type: "string", default: "8,32,128" },
    runs: { type: "string", default: "1,20" },
    only: { type: "string" },
    against: { type: "boolean", default: false },
    out: { type: "string" },
    rounds: { type: "string", default: "5" },
  },
});
const numbers = (text: string): number[] => text.split(",").map(Number);

/** Steps a contender makes at least: a tick of the CPU clock is 10 ms. */
const STEPS_MIN = 320;
let conversations = 0;

interface Round {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly conversation: string;
}

async function round(contender: Contender, steps: number, atOnce: number): Promise<Round> {
  const batch = Array.from({ length: atOnce }, () => {
    conversations += 1;
    return `${contender.name}-${conversations}`;
  });
  const cpuBefore = contender.cpuSeconds();
  const startedAt = performance.now();
  await Promise.all(batch.map((conversation) => contender.run(conversation, steps)));
  const wallMs = performance.now() - startedAt;
  return { wallMs, cpuMs: (contender.cpuSeconds() - cpuBefore) * 1_000, conversation: batch[0] ?? "" };
}

async function measureAll(all: readonly Contender[], steps: number, atOnce: number): Promise<readonly Measured[]> {
  const rounds = new Map<string, Round[]>(all.map((contender) => [contender.name, []]));
  // Turn by turn, so that what else the machine does meets all alike; the median counts.
  const count = Math.max(Number(given.rounds), Math.ceil(STEPS_MIN / (steps * atOnce)));
  for (let turn = 0; turn < count; turn += 1) {
    for (const contender of all) rounds.get(contender.name)?.push(await round(contender, steps, atOnce));
  }
  const measured: Measured[] = [];
  for (const contender of all) {
    const own = rounds.get(contender.name) ?? [];
    const wallMs = median(own.map((each) => each.wallMs));
    const cpuMs = median(own.map((each) => each.cpuMs)) / atOnce;
    const stored = await contender.stored(own.at(-1)?.conversation ?? "");
    measured.push({
      name: contender.name,
      steps,
      runs_at_once: atOnce,
      wall_ms_a_run: wallMs,
      cpu_ms_a_run: cpuMs,
      wall_ms_a_step: wallMs / steps,
      cpu_ms_a_step: cpuMs / steps,
      value_bytes: stored.values,
      file_bytes: stored.file,
    });
  }
  return measured;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2;
}

const openers: { readonly [name: string]: () => Promise<Contender> } = {
  "floor-alarm": () => openFloor("alarm"),
  "querent-alarm": () => openQuerent("alarm"),
  "floor-loop": () => openFloor("loop"),
  "querent-caller": () => openQuerent("caller"),
};
const chosen = Object.entries(openers).filter(
  ([name]) => given.only === undefined || given.only.split(",").includes(name),
);
const contenders: Contender[] = [];
// One after the other: a contender is told by the process that its start has added.
for (const [, open] of chosen) contenders.push(await open());
if (given.against) contenders.push(...(await openPeers()));
const all: Measured[] = [];
try {
  for (const contender of contenders) await contender.run(`warm-${contender.name}`, 32);
  for (const steps of numbers(given.steps)) {
    for (const atOnce of numbers(given.runs)) {
      for (const measured of await measureAll(contenders, steps, atOnce)) {
        all.push(measured);
        console.log(toLine(measured, all));
      }
    }
  }
} finally {
  await Promise.all(contenders.map((contender) => contender.close()));
}
if (given.out !== undefined) writeFileSync(given.out, `${JSON.stringify(all, null, 2)}\n`);

/** With the ratio to the floor of the same driver, or for peers to Querent. */
function toLine(measured: Measured, before: readonly Measured[]): string {
  const base = { "querent-alarm": "floor-alarm", "querent-caller": "floor-loop" }[measured.name] ?? "querent-caller";
  const other = before.find(
    (each) => each.name === base && each.steps === measured.steps && each.runs_at_once === measured.runs_at_once,
  );
  const ratio =
    other === undefined || other.name === measured.name
      ? ""
      : `  wall ${(measured.wall_ms_a_run / other.wall_ms_a_run).toFixed(2)} × · CPU ${(measured.cpu_ms_a_run / other.cpu_ms_a_run).toFixed(2)} × ${base}`;
  return (
    `${measured.name.padEnd(22)} ${String(measured.steps).padStart(4)} steps × ${String(measured.runs_at_once).padStart(3)}` +
    `  a step: wall ${measured.wall_ms_a_step.toFixed(2).padStart(7)} ms, CPU ${measured.cpu_ms_a_step.toFixed(2).padStart(6)} ms` +
    `  stored ${(measured.value_bytes / 1000).toFixed(1).padStart(7)} kB (file ${(measured.file_bytes / 1000).toFixed(0)} kB)${ratio}`
  );
}
