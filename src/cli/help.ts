/** The texts of `--help` and `--version`. A test holds every flag against them. */
import { readFileSync } from "node:fs";

export const ASK_HELP = `Ask a database a question in plain words.

  npm run ask -- [flags] "question"

Without --db or --sql the demo database is asked: a music shop with 11 tables.
With ANTHROPIC_API_KEY set Claude answers; without a key the built-in offline model does.

Flags
  --db FILE       ask this SQLite file; a private copy is asked, the file is never touched
  --sql FILE      ask the database that this SQL dump builds
  --model ID      the model that answers, such as claude-sonnet-5-5 or offline
  --budget USD    dollars that the run may cost at most, such as 0.25
  --max-steps N   model calls with their queries that the run may make at most
  --approve-above ROWS
                  ask me before a query reads more rows than this; 0: before every query
  --keep [DIR]    keep the state in DIR (.querent/ask when none is named): an interrupted
                  question goes on where it was when it is asked again
  --run ID        show a kept run again
  --json          print the run as JSON and nothing else
  --help          print this
  --version       print the version

Exit code: 0 answered, 1 stopped or failed, 2 a wrong call or setting, 130 cancelled with Ctrl-C.

Examples
  npm run ask -- "Which country's customers have spent the most?"
  npm run ask -- --db ./shop.sqlite "How many orders per month in 2025?"
  npm run ask -- --sql dump.sql --budget 0.05 --max-steps 5 "Which products were never sold?"
  npm run ask -- --keep "Which artist has the most albums?"
  npm run --silent ask -- --json "How many tracks are there?" | jq .answer
`;

export const DEV_HELP = `Serve the HTTP API on this machine, with no API key needed.

  npm run dev -- [flags]

Flags
  --port N        port on 127.0.0.1 (8787 when none is named; 0 for any free one)
  --db FILE       serve this SQLite file instead of the demo database; it is never touched
  --sql FILE      serve the database that this SQL dump builds
  --state DIR     folder that keeps runs and database (.querent/dev when none is named)
  --help          print this
  --version       print the version

Environment: ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, QUERENT_MODEL and all the others that the README lists.

Examples
  npm run dev
  npm run dev -- --port 3000 --db ./shop.sqlite --state ./state
`;

/** The version of the package. */
export function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return String(/"version":\s*"([^"]+)"/.exec(text)?.[1]);
}
