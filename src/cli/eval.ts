/**
 * `npm run eval -- --set NAME`: how often is the answer right, and what does a question cost?
 * The command on the real screen; everything it does is in evals/run-eval.ts.
 */
import { runEval } from "./evals/run-eval.ts";

// npm runs a script in the package's folder; a path is meant from where the person typed it.
if (process.env.npm_lifecycle_event === "eval" && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
const isScreen = process.stderr.isTTY;
process.exitCode = await runEval(process.argv.slice(2), process.env, {
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
  progress: ({ id, passed }, done, total) => {
    if (isScreen)
      process.stderr.write(`\r${done}/${total} ${passed ? "ok" : "--"} ${id}   ${done === total ? "\r\n" : ""}`);
  },
});
