import { describe, expect, it } from "vitest";
import { renderManifest } from "../../src/cli/slack-manifest.ts";

const URL = "https://querent.example.com";

function render(...argv: string[]): string {
  const rendered = renderManifest(argv);
  return rendered.ok ? rendered.value : `error: ${rendered.error}`;
}

describe("npm run slack:manifest", () => {
  it("names both addresses of this server, one command, and the few rights it needs", () => {
    expect(JSON.parse(render("--url", URL, "--json"))).toMatchObject({
      display_information: { name: "Querent" },
      features: {
        slash_commands: [{ command: "/ask", url: `${URL}/slack/commands`, should_escape: false }],
        bot_user: { display_name: "Querent" },
      },
      oauth_config: { scopes: { bot: ["commands", "chat:write", "chat:write.public"] } },
      settings: {
        interactivity: { is_enabled: true, request_url: `${URL}/slack/interactions` },
        socket_mode_enabled: false,
      },
    });
  });

  it("prints YAML with the same content", () => {
    const manifest: object = JSON.parse(render("--url", URL, "--json"));
    expect(readYaml(render("--url", `${URL}/`))).toEqual(manifest);
  });

  it("takes another command and another name", () => {
    const manifest = JSON.parse(render("--url", URL, "--command", "/data", "--name", "Data Desk", "--json"));
    expect([manifest.features.slash_commands[0].command, manifest.display_information.name]).toEqual([
      "/data",
      "Data Desk",
    ]);
  });

  it("keeps to Slack's lengths: a description of the command of 2,000 and a usage hint of 1,000 characters at most", () => {
    const { features, display_information } = JSON.parse(render("--url", URL, "--json"));
    expect(features.slash_commands[0].usage_hint.length).toBeLessThan(1_000);
    expect(display_information.description.length).toBeLessThanOrEqual(140);
  });

  it.each([
    [[], "Say where Slack reaches this server"],
    [["--url", "querent.example.com"], "must be an https address"],
    [["--url", "http://querent.example.com"], "must be an https address"],
    [["--url", `${URL}/path`], `is the origin alone, without path, query or user: ${URL}`],
    [["--url", "https://me@querent.example.com"], "is the origin alone"],
    [["--url", URL, "--command", "ask"], "--command is a slash"],
    [["--url", URL, "--command", "/Ask"], "--command is a slash"],
    [["--url", URL, "--name", "x\ny: 1"], "--name has up to 35"],
    [["--uri", URL], "Unknown option '--uri'"],
    [["word"], "Unexpected argument 'word'"],
  ])("says what is wrong with %j", (argv, message) => {
    expect(render(...argv)).toMatch(/^error: /);
    expect(render(...argv)).toContain(message);
  });

  it("--help shows examples", () => {
    expect(render("--help")).toContain("npm run slack:manifest -- --url");
  });
});

/** As much of YAML as the manifest uses: maps and lists in block style, scalars as JSON. */
function readYaml(text: string): unknown {
  const lines = text.trimEnd().split("\n");
  const indentOf = (line: string): number => line.length - line.trimStart().length;
  const readBlock = (indent: number): unknown => {
    if (lines[0]?.trimStart().startsWith("- ")) {
      const items: unknown[] = [];
      while (lines[0] !== undefined && indentOf(lines[0]) === indent && lines[0].trimStart().startsWith("- ")) {
        const rest = lines[0].trimStart().slice(2);
        if (/^[a-z_]+:/.test(rest)) {
          lines[0] = " ".repeat(indent + 2) + rest;
          items.push(readBlock(indent + 2));
        } else {
          lines.shift();
          items.push(JSON.parse(rest));
        }
      }
      return items;
    }
    const map: Record<string, unknown> = {};
    while (lines[0] !== undefined && indentOf(lines[0]) === indent) {
      const [, key = "", value = ""] = /^([a-z_]+):\s*(.*)$/.exec(lines.shift()?.trimStart() ?? "") ?? [];
      map[key] = value === "" ? readBlock(indentOf(lines[0] ?? "")) : JSON.parse(value);
    }
    return map;
  };
  return readBlock(0);
}
