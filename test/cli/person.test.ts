/** What the terminal asks for a run, and what is said for somebody who is not there. */
import { describe, expect, it } from "vitest";
import { hearPerson, type Person } from "../../src/cli/person.ts";
import { aRun, fakeDoor } from "./fake-door.ts";

const QUERY = { sql: "SELECT 1\nFROM t", tables: ["t"], rows_read: 5_000, cost_usd: 0.000005, plan: ["SCAN t"] };
const APPROVAL = { kind: "approval", approval: { id: "a1", queries: [QUERY] }, inquiry: null };
const INQUIRY = {
  kind: "reply",
  approval: null,
  inquiry: { id: "q1", question: "Which?", options: ["Revenue", "Number"] },
};

/** Somebody who types `lines` one after the other; afterwards nobody is there. */
function typing(...lines: readonly string[]) {
  const left = [...lines];
  const seen: string[] = [];
  const notes: string[] = [];
  const person: Person = {
    async ask(text) {
      seen.push(text);
      return left.shift() ?? null;
    },
    note: (text) => void notes.push(text),
  };
  return { person, seen, notes };
}

async function hear(waiting: object | null, type: string, ...lines: readonly string[]) {
  const door = fakeDoor(Response.json({ ...aRun({ status: "waiting" }), waiting }));
  const typed = typing(...lines);
  await hearPerson(door, "run_1", { type }, typed.person);
  const sent = door.requests.slice(1).map(({ path, body }) => [path, body]);
  return { ...typed, sent, requests: door.requests.length };
}

describe("a run that waits for a yes", () => {
  it("C48: shows SQL, rows, tables, dollars and plan, and sends what was typed", async () => {
    const { seen, sent } = await hear(APPROVAL, "approval_asked", "y");
    expect(seen).toEqual([
      [
        "   SELECT 1",
        "   FROM t",
        "It reads about 5,000 rows of t, <$0.0001. By this plan:",
        "   SCAN t",
        "May this query run? y/n: ",
      ].join("\n"),
    ]);
    expect(sent).toEqual([["/v1/runs/run_1/approve", { approval: "a1", decision: "approve" }]]);
  });

  it.each([
    [["no"], "decline"],
    [["maybe", "", "YES"], "approve"],
    [["x", "n"], "decline"],
  ])("%j is %s", async (lines, decision) => {
    const { sent, seen } = await hear(APPROVAL, "approval_asked", ...lines);
    expect(sent).toEqual([["/v1/runs/run_1/approve", { approval: "a1", decision }]]);
    expect(seen).toHaveLength(lines.length);
  });

  it("is refused for somebody who is not there, and says so", async () => {
    const { sent, notes } = await hear(APPROVAL, "approval_asked");
    expect(sent).toEqual([
      ["/v1/runs/run_1/approve", { approval: "a1", decision: "decline", note: "Nobody is there to allow it." }],
    ]);
    expect(notes.join()).toContain("nobody is at a terminal");
  });

  it("cannot move the cursor by what it shows", async () => {
    const query = { ...QUERY, sql: "SELECT '\u001b[2J'", tables: ["a\u001b[1m\n"] };
    const { seen } = await hear(
      { ...APPROVAL, approval: { id: "a1", queries: [query, query] } },
      "approval_asked",
      "n",
    );
    expect(seen.join()).not.toContain("\u001b");
    expect(seen.join()).toContain("May these 2 queries run?");
  });
});

describe("a run that asks back", () => {
  it.each([
    [["2"], "Number"],
    [["3"], "3"],
    [["", "revenue without tax"], "revenue without tax"],
  ])("takes %j as %j", async (lines, reply) => {
    const { sent, seen } = await hear(INQUIRY, "question_asked", ...lines);
    expect(sent).toEqual([["/v1/runs/run_1/reply", { inquiry: "q1", reply }]]);
    expect(seen[0]).toBe("Which?\n  1  Revenue\n  2  Number\nA number, or other words: ");
  });

  it("is told to choose when nobody is there", async () => {
    const { sent, notes } = await hear(INQUIRY, "question_asked");
    expect(sent).toEqual([
      ["/v1/runs/run_1/reply", { inquiry: "q1", reply: expect.stringContaining("Choose the likeliest reading") }],
    ]);
    expect(notes).toHaveLength(1);
  });
});

describe("nobody is asked", () => {
  it("for other events, nor for what has been answered by now", async () => {
    expect((await hear(APPROVAL, "step_finished", "y")).requests).toBe(0);
    expect(await hear(null, "approval_asked", "y")).toMatchObject({ seen: [], sent: [] });
  });
});
