/**
 * README and code say the same: every setting, limit, stop reason, route, command and file, in both directions.
 */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX } from "../src/agent/limits.ts";
import { STOP_REASONS } from "../src/agent/state.ts";
import { VARIABLE_NAMES } from "../src/config/variables.ts";
import { API_ROUTES } from "../src/http/api-routes.ts";

const README = readFileSync("README.md", "utf8");
const SCRIPTS = (JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> }).scripts;
const DEPENDENCIES = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> };

/** The rows of the table whose header row is `header`. */
function tableAfter(header: string): string[][] {
  const lines = README.slice(README.indexOf(header)).split("\n").slice(2);
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines.slice(0, end).map((line) => line.split("|").map((cell) => cell.trim()));
}

const isAt = (text: string): boolean => README.includes(text);

describe("README", () => {
  it("lists every setting, and no other", () => {
    const names = tableAfter("| name | what |").map((row) => row[1]?.replaceAll("`", ""));
    expect([...names].sort()).toEqual([...VARIABLE_NAMES].sort());
  });

  it("gives every limit with its default and its maximum", () => {
    const group = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 2 });
    for (const [name, max] of Object.entries(DEFAULT_LIMITS_MAX)) {
      const value = DEFAULT_LIMITS[name as keyof typeof DEFAULT_LIMITS];
      const shown = name === "budget_usd" ? value.toFixed(2) : group(value);
      expect(README.replace(/\s+/g, " ")).toContain(`\`${name}\` ${shown} (${group(max)})`);
    }
  });

  it("names every stop reason", () => {
    for (const reason of STOP_REASONS) expect(isAt(`\`${reason}\``) || reason === "done", reason).toBe(true);
  });

  it("names every route, and no route that is not there", () => {
    const cells = tableAfter("| route | does |").map((row) => row[1] ?? "");
    // `/v1/runs/:id/cancel` · `/continue`: a short form stands for the same parent.
    const shown = new Set<string>();
    for (const cell of cells) {
      let parent = "";
      for (const [, path = ""] of cell.matchAll(/`(?:[A-Z]+ )?([^`]+)`/g)) {
        const isShort =
          parent !== "" && !/^\/(v1|slack)\//.test(path) && !API_ROUTES.some((route) => toColon(route.path) === path);
        const full = isShort && path !== "/" && path !== "/docs" ? `${parent}${path}` : path;
        if (!isShort) parent = full.replace(/\/[^/]+$/, "");
        shown.add(full);
      }
    }
    const routes = new Set(API_ROUTES.map((route) => toColon(route.path)));
    const NOT_IN_THE_CONTRACT = new Set([
      "/",
      "/docs",
      "/openapi.json",
      "/healthz",
      "/slack/commands",
      "/slack/interactions",
    ]);
    expect([...routes].filter((path) => !shown.has(path) && !NOT_IN_THE_CONTRACT.has(path))).toEqual([]);
    expect([...shown].filter((path) => !routes.has(path) && !NOT_IN_THE_CONTRACT.has(path))).toEqual([]);
  });

  it("uses only commands that exist, and shows every one that a user needs", () => {
    for (const [, name = ""] of README.matchAll(/npm run (?:--silent )?([\w:-]+)/g))
      expect(SCRIPTS, name).toHaveProperty([name]);
    for (const name of "ask dev key eval bench check test:kill slack:manifest runs:scan replay".split(" ")) {
      expect(isAt(`npm run ${name}`) || isAt(`npm run --silent ${name}`), name).toBe(true);
    }
  });

  it("names only files that exist", () => {
    for (const [, path = ""] of README.matchAll(/`((?:src|test|migrations)\/[\w./-]+\.\w+)`/g))
      expect(existsSync(path), path).toBe(true);
  });

  it("gives the reason for every dependency", () => {
    for (const name of Object.keys(DEPENDENCIES.dependencies)) expect(isAt(`\`${name}\``), name).toBe(true);
  });

  it("has nothing left to be filled in", () => {
    expect(README).not.toMatch(/<!--|lorem ipsum/i);
  });
});

function toColon(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}
