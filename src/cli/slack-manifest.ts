/**
 * `npm run slack:manifest -- --url https://…`: prints an app manifest for Slack, to be pasted where apps are made.
 *
 * Owns: what the app asks of a workspace. It is little: one command, buttons, and to write messages; it reads nothing.
 * Commands are sent unescaped, so a question arrives as it was typed. Exit code: 0, or 2 for a wrong call.
 */
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { err, ok, type Result } from "../lib/result.ts";

const HELP = `Print a Slack app manifest.

  npm run slack:manifest -- --url https://querent.example.com
  npm run slack:manifest -- --url https://querent.example.com --command /data --name "Data" --json

  --url       where this server is reached from the outside, without a path
  --command   the slash command (default /ask)
  --name      the app's name in Slack (default Querent)
  --json      JSON instead of YAML

Paste it at https://api.slack.com/apps under "Create New App", "From a manifest".
`;

type Json = string | boolean | readonly Json[] | { readonly [key: string]: Json };

export interface ManifestOptions {
  /** `https://querent.example.com`. */
  readonly origin: string;
  readonly command: string;
  readonly name: string;
}

export function toManifest({ origin, command, name }: ManifestOptions) {
  return {
    display_information: {
      name,
      description: "Ask the database questions in plain words.",
      background_color: "#1f2a44",
    },
    features: {
      // For answers that come later than Slack's response addresses live: they arrive as a message of this bot.
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: true },
      bot_user: { display_name: name, always_online: true },
      slash_commands: [
        {
          command,
          url: `${origin}/slack/commands`,
          description: "Ask a question about the data",
          usage_hint: "[share] Which country's customers have spent the most?",
          should_escape: false,
        },
      ],
    },
    // The last: a shared answer that comes late is posted in a channel that the bot was never invited to.
    oauth_config: { scopes: { bot: ["commands", "chat:write", "chat:write.public"] } },
    settings: {
      interactivity: { is_enabled: true, request_url: `${origin}/slack/interactions` },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  } as const;
}

/** What is printed for these arguments, or what is wrong with them. */
export function renderManifest(argv: readonly string[]): Result<string, string> {
  const parsed = parseFlags(argv);
  if (!parsed.ok) return parsed;
  const { url, command = "/ask", name = "Querent", json, help } = parsed.value;
  if (help) return ok(HELP);
  if (url === undefined) return err("Say where Slack reaches this server: --url https://querent.example.com.");
  const origin = parseOrigin(url);
  if (!origin.ok) return origin;
  if (!/^\/[a-z0-9_-]{1,31}$/.test(command)) {
    return err("--command is a slash and up to 31 small letters, digits, dashes or underscores, such as /ask.");
  }
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,34}$/u.test(name)) {
    return err("--name has up to 35 letters, digits, spaces, dots and dashes, and begins with a letter or digit.");
  }
  const manifest = toManifest({ origin: origin.value, command, name });
  return ok(json ? `${JSON.stringify(manifest, null, 2)}\n` : toYaml(manifest, ""));
}

interface Flags {
  readonly url?: string | undefined;
  readonly command?: string | undefined;
  readonly name?: string | undefined;
  readonly json?: boolean | undefined;
  readonly help?: boolean | undefined;
}

function parseFlags(argv: readonly string[]): Result<Flags, string> {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = { url: text, command: text, name: text, json: flag, help: { ...flag, short: "h" } };
  try {
    return ok(parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values);
  } catch (error) {
    return err(`${error instanceof Error ? error.message : String(error)} More: npm run slack:manifest -- --help`);
  }
}

/** Slack calls over https, at a public name. */
function parseOrigin(text: string): Result<string, string> {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "https:") {
    return err(
      `--url must be an https address that Slack can reach, such as https://querent.example.com, not "${text}".`,
    );
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "") {
    return err(`--url is the origin alone, without path, query or user: ${url.origin}.`);
  }
  return ok(url.origin);
}

/** Block style; every text in double quotes, which YAML reads as JSON does. */
function toYaml(value: Json, indent: string): string {
  if (typeof value !== "object") return ` ${JSON.stringify(value)}\n`;
  if (Array.isArray(value)) {
    return value.map((item: Json) => `${indent}-${toYaml(item, `${indent}  `).replace(/^\s*/, " ")}`).join("");
  }
  return Object.entries(value)
    .map(([key, inner]: [string, Json]) => {
      const text = toYaml(inner, `${indent}  `);
      return `${indent}${key}:${typeof inner === "object" ? `\n${text}` : text}`;
    })
    .join("");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const rendered = renderManifest(process.argv.slice(2));
  if (rendered.ok) process.stdout.write(rendered.value);
  else process.stderr.write(`${rendered.error}\n`);
  process.exitCode = rendered.ok ? 0 : 2;
}
