/**
 * `npm run bench`: everything that Querent says about its speed and size, measured in one run, as a table and as JSON.
 *
 *   --part LIST     of steps, burst, size, start, gate, page; all of them unless told
 *   --steps 8,32,128 --runs 1,20,200 --rounds 5   the table of steps; 200 at once at the fewest steps only (--full: at all)
 *   --only NAMES    of floor-alarm, querent-alarm, floor-loop, querent-caller, querent-caller-known (its runs ask the same
 *                   queries, so that their verdicts are known)
 *   --against       the peers too: those of test/bench, and Cloudflare's own of test/bench/cloudflare
 *   --commands 300  slash commands in the burst
 *   --out FILE      all of it as JSON
 *
 * Numbers of different machines or different days are not comparable; the ratios are what counts. Exit code 1 when a run
 * was lost or paid for twice, when the ledger differs from the runs' own receipts by a nano-dollar, or when a command of
 * the burst was not answered exactly once.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { openCloudflarePeers } from "./cloudflare-peers.ts";
import { type Contender, openFloor, openQuerent } from "./contender.ts";
import { measurePaint, type Paint } from "./page-paint.ts";
import { openPeers } from "./peers.ts";
import { measureBurst } from "./slack-burst.ts";
import { measureGate } from "./sql-gate.ts";
import { type Measured, measureSteps, toLine } from "./step-table.ts";
import { measureSize, measureStart } from "./worker-size.ts";

const PARTS = ["steps", "burst", "size", "start", "gate", "page"];

const { values: given } = parseArgs({
  options: {
    part: { type: "string", default: PARTS.join(",") },
    steps: { type: "string", default: "8,32,128" },
    runs: { type: "string", default: "1,20,200" },
    rounds: { type: "string", default: "5" },
    full: { type: "boolean", default: false },
    only: { type: "string" },
    against: { type: "boolean", default: false },
    commands: { type: "string", default: "300" },
    out: { type: "string" },
  },
});
const list = (text: string): string[] => text.split(",");
const parts = list(given.part);
const unknown = parts.filter((part) => !PARTS.includes(part));
if (unknown.length > 0) throw new Error(`No such part: ${unknown.join(", ")}. There are ${PARTS.join(", ")}.`);

const found: { [part: string]: unknown } = { node: process.version, processors: availableParallelism() };
const faults: string[] = [];

if (parts.includes("size")) {
  const size = await measureSize(true);
  found.size = size;
  title("size of the worker");
  console.log(`${kb(size.minified_bytes)} minified, ${kb(size.compressed_bytes)} compressed; of it, minified and`);
  console.log("compressed (how much smaller the worker is without it and what it alone brings along):");
  for (const { name, minified, compressed } of size.packages)
    console.log(`  ${name.padEnd(24)} ${kb(minified).padStart(7)} ${kb(compressed).padStart(7)}`);
}
if (parts.includes("start")) {
  const start = await measureStart();
  found.start = start;
  title("start");
  console.log(`to the first answer: ${start.first_answer_ms} ms; of an empty worker ${start.empty_worker_ms} ms`);
}
if (parts.includes("gate")) {
  const gate = await measureGate();
  found.gate = gate;
  title("gate");
  console.log(
    `lexer ${gate.lexer_mb_a_second} MB/s · gate ${gate.gate_us_a_statement} µs a statement, ${gate.gate_ms_of_99_kb} ms for 99 kB`,
  );
  const times = Object.entries(gate.query_ms).map(([what, ms]) => `${what} ${ms.toFixed(2)} ms`);
  console.log(`on local D1: ${times.join(" · ")}`);
}
if (parts.includes("page")) {
  const page = await measurePaint();
  found.page = page;
  title("page");
  if (page === null) console.log("no Chromium here: set CHROMIUM_PATH");
  else {
    const tell = ({ p50_ms, max_ms }: Paint): string => `${p50_ms} ms (median), ${max_ms} ms (slowest)`;
    console.log(`first paint of a cold load: ${tell(page.first_view)}; of a finished run ${tell(page.finished_run)}`);
    console.log(`script and style ${kb(page.page_bytes)} compressed, the chart library ${kb(page.charts_bytes)} more`);
  }
}
if (parts.includes("burst")) {
  const burst = await measureBurst(Number(given.commands));
  found.burst = burst;
  if (burst.lost_or_doubled > 0) faults.push(`burst: ${burst.lost_or_doubled} commands were not answered exactly once`);
  title("slash commands at once");
  console.log(`the first after the start is acknowledged in ${burst.first_ack_ms} ms;`);
  console.log(
    `${burst.commands} at once in ${burst.ack_p50_ms} ms (median), ${burst.ack_p95_ms} ms (95 %), ${burst.ack_max_ms} ms (slowest);`,
  );
  console.log(`all answered, each once, after ${burst.all_answered_s} s`);
}
if (parts.includes("steps")) {
  title("steps");
  found.steps = await measureContenders();
}
if (given.out !== undefined) writeFileSync(given.out, `${JSON.stringify({ ...found, faults }, null, 2)}\n`);
for (const fault of faults) console.error(`WRONG: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function measureContenders(): Promise<readonly Measured[]> {
  const openers: { readonly [name: string]: () => Promise<Contender> } = {
    "floor-alarm": () => openFloor("alarm"),
    "querent-alarm": () => openQuerent("alarm"),
    "floor-loop": () => openFloor("loop"),
    "querent-caller": () => openQuerent("caller"),
    "querent-caller-known": () => openQuerent("caller", true),
  };
  const names = given.only === undefined ? Object.keys(openers) : list(given.only);
  const contenders: Contender[] = [];
  try {
    // One after the other: a contender is told by the process that its start has added.
    for (const [name, open] of Object.entries(openers)) if (names.includes(name)) contenders.push(await open());
    if (given.against) contenders.push(...(await openPeers()), ...(await openCloudflarePeers()));
    const plan = {
      steps: list(given.steps).map(Number),
      runs: list(given.runs).map(Number),
      rounds: Number(given.rounds),
      isFull: given.full,
    };
    const measured = await measureSteps(contenders, plan, (one, before) => console.log(toLine(one, before)));
    for (const contender of contenders) {
      if (contender.audit === undefined) continue;
      const { runs, wrong } = await contender.audit();
      console.log(`${contender.name}: ${runs} runs, ${wrong.length === 0 ? "none lost, the ledger exact" : "WRONG"}`);
      faults.push(...wrong.map((fault) => `${contender.name}: ${fault}`));
    }
    return measured;
  } finally {
    await Promise.all(contenders.map((contender) => contender.close()));
  }
}

function title(text: string): void {
  console.log(`\n— ${text}`);
}

function kb(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
