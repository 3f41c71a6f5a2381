import { describe, expect, test } from "vitest";
import { parseWait, WAIT_S_MAX } from "../../src/http/prefer.ts";
import { createHarness, readProblem } from "./harness.ts";

describe("parseWait", () => {
  test.each([
    ["wait=10", 10],
    ["respond-async, wait=10", 10],
    ["Wait = 5", 5],
    ['wait="7"; x=y', 7],
    ["wait=7;x", 7],
    ["wait=10, wait=20", 10],
    ["wait=10, wait=abc", 10],
    ["wait=99999", WAIT_S_MAX],
    [`wait=${"9".repeat(300)}`, WAIT_S_MAX],
    ["wait=0", 0],
    ["waiting=5", null],
    ["return=minimal", null],
    ["handling=lenient, odd preference, =", null],
    ['x="a, wait=5"', null],
    ['x="a\\", wait=5", wait=6', 6],
    ['x="unclosed, wait=5', null],
    ["", null],
    [undefined, null],
  ])("%j means %j", (header, seconds) => {
    expect(parseWait(header)).toEqual({ ok: true, value: seconds });
  });

  test.each([
    "wait=-1",
    "wait=abc",
    "wait=1.5",
    "wait=1e9",
    "wait",
    "wait=",
    'wait=""',
    'wait="7',
    "wait=1 0",
    "wait=0x1",
  ])("%j is refused: nobody can tell how long it means", (header) => {
    expect(parseWait(header)).toMatchObject({ ok: false });
  });

  test("a long header of quotes and commas is read in one pass", () => {
    expect(parseWait(`${'"'.repeat(9_999)}${",".repeat(9_999)}${" ".repeat(9_999)}=`)).toEqual({
      ok: true,
      value: null,
    });
  });
});

describe("Prefer of a question", () => {
  const question = { question: "How many albums?" };

  test("a wait that is too long is cut, and Preference-Applied says to what", async () => {
    const { post } = createHarness();
    const response = await post("/v1/runs", question, { prefer: "wait=100000" });
    expect([response.status, response.headers.get("preference-applied")]).toEqual([200, `wait=${WAIT_S_MAX}`]);
  });

  test("a wait of 0 is one that is granted at once; an unknown preference is ignored", async () => {
    const { post } = createHarness();
    const none = await post("/v1/runs", question, { prefer: "wait=0" });
    expect([none.status, none.headers.get("preference-applied")]).toEqual([202, "wait=0"]);
    const other = await post("/v1/runs", question, { prefer: "respond-async" });
    expect([other.status, other.headers.get("preference-applied")]).toEqual([202, null]);
  });

  test("a wait that cannot be read is 400 with the header's name, and opens no run", async () => {
    const { post, runs } = createHarness();
    for (const prefer of ["wait=abc", "wait=-1", "wait=1e9"]) {
      const response = await post("/v1/runs", question, { prefer });
      expect(response.status).toBe(400);
      expect((await readProblem(response)).errors).toEqual([
        { detail: "Write the wait in whole seconds, such as Prefer: wait=30.", header: "Prefer" },
      ]);
    }
    expect(runs.size).toBe(0);
  });

  test("a manual run is not waited for: nobody drives it", async () => {
    const { post } = createHarness();
    const response = await post("/v1/runs", { ...question, mode: "manual" }, { prefer: "wait=10" });
    expect([response.status, response.headers.get("preference-applied")]).toEqual([202, null]);
  });
});
