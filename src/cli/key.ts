/**
 * `npm run key -- NAME`: makes an API key and prints it once, with the hashed entry for QUERENT_CALLERS.
 *
 * Owns: the form of a key: `qk_` and 32 random bytes in base64url, which nobody can guess, so a plain SHA-256 is all the
 * server needs to keep. Nothing is stored here. Exit code: 0, or 2 for a wrong call.
 */
import { createHash, randomBytes } from "node:crypto";
import { pathToFileURL } from "node:url";
import { err, ok, type Result } from "../lib/result.ts";

const KEY_BYTES = 32;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

const HELP = `Make an API key.

  npm run key -- analytics           prints a key and the entry for QUERENT_CALLERS
  npm run key -- analytics --json    the same as JSON

The key is shown once and stored nowhere: the server knows its hash only.
To replace a key, list the new hash beside the old one, move every client, then take the old one out.
`;

export interface ApiKey {
  readonly key: string;
  /** As QUERENT_CALLERS lists it. */
  readonly hash: string;
}

/** `random`: 32 bytes that nobody can predict. */
export function toApiKey(random: Uint8Array): ApiKey {
  const key = `qk_${Buffer.from(random).toString("base64url")}`;
  return { key, hash: `sha256:${createHash("sha256").update(key).digest("hex")}` };
}

/** What is printed for these arguments, or what is wrong with them. */
export function renderKey(argv: readonly string[], random: Uint8Array): Result<string, string> {
  if (argv.includes("--help") || argv.includes("-h")) return ok(HELP);
  const unknown = argv.find((word) => word.startsWith("-") && word !== "--json");
  if (unknown !== undefined) return err(`There is no option ${unknown}.`);
  const [name, ...more] = argv.filter((word) => !word.startsWith("-"));
  if (name === undefined) return err("Say whose key it is: npm run key -- analytics");
  if (more.length > 0 || !NAME.test(name)) {
    return err("A caller's name is one word of 1 to 64 letters, digits, dots, dashes or underscores.");
  }
  if (name === "local") return err('The name "local" is taken by the local commands. Choose another.');
  const { key, hash } = toApiKey(random);
  const entry = { [name]: { keys: [hash] } };
  if (argv.includes("--json")) return ok(`${JSON.stringify({ key, hash, entry })}\n`);
  return ok(`The key of ${name}. It is shown this once:

  ${key}

Put its hash into the secret QUERENT_CALLERS (npx wrangler secret put QUERENT_CALLERS), beside the callers that are there:

  ${JSON.stringify(entry)}

Then ask with it:

  curl https://<your worker>/v1/runs -H 'authorization: Bearer <the key>' \\
    -H 'content-type: application/json' -H 'prefer: wait=60' -d '{"question": "How many customers are there?"}'
`);
}

const isMain = process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href;
if (isMain) {
  const rendered = renderKey(process.argv.slice(2), randomBytes(KEY_BYTES));
  if (rendered.ok) process.stdout.write(rendered.value);
  else process.stderr.write(`${rendered.error}\nMore: npm run key -- --help\n`);
  process.exitCode = rendered.ok ? 0 : 2;
}
