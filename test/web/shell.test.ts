import { describe, expect, test } from "vitest";
import { renderShell } from "../../src/web/shell.ts";

describe("the document of the page", () => {
  test("names its files from this server and holds no inline script or style", () => {
    const html = renderShell();
    expect(html).toMatch(/^<!doctype html><html lang="en">/);
    expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
      "/assets/icon.svg",
      "/assets/style.css",
      "/assets/main.js",
      "/",
    ]);
    expect(html).not.toMatch(/<style|<script(?![^>]* src=)|style=|\son\w+=/);
  });
});
