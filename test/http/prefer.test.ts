import { describe, expect, test } from "vitest";
import { parseWait, WAIT_S_MAX } from "../../src/http/prefer.ts";

describe("parseWait", () => {
  test.each([
    ["wait=10", 10],
    ["respond-async, wait=10", 10],
    ["Wait = 5", 5],
    ['wait="7"; x=y', 7],
    ["wait=10, wait=20", 10],
    ["wait=99999", WAIT_S_MAX],
    ["wait=0", null],
    ["wait=-1", null],
    ["wait=abc", null],
    ["wait=1.5", null],
    ["wait", null],
    ["waiting=5", null],
    ["return=minimal", null],
    ["", null],
    [undefined, null],
  ])("%j means %j", (header, seconds) => {
    expect(parseWait(header)).toBe(seconds);
  });
});
