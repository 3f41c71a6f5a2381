/** What the terminal asks for a run, and what is said for somebody who is not there. */
import { describe, expect, it } from "vitest";
import { hearPerson, type Person } from "../../src/cli/person.ts";
import { aRun, fakeDoor, problem } from "./fake-door.ts";

const QUERY = { sql: "SELECT 1\nFROM t", tables: ["t"], rows_read: 5_000, cost_usd: 0.000005, plan: ["SCAN t"] };
const APPROVAL = { kind: "approval", approval: { id: "a1", queries: [QUERY] }, inquiry: null };
const INQUIRY = {
  kind: "reply",
  approval: null,
  inquiry: { id: "q1", question: "Which?", options: ["Revenue", "Number"] },
};

const NAMES = { approval: "a1", inquiry: "q1" };
const aWaiting = (waiting: object | null) => Response.json({ ...aRun({ status: "waiting" }), waiting });

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
    hasLeft: () => false,
  };
  return { person, seen, notes };
}

async function hear(waiting: object | null, type: string, ...lines: readonly string[]) {
  const door = fakeDoor(aWaiting(waiting));
  const typed = typing(...lines);
  await hearPerson(door, "run_1", { type, ...NAMES }, typed.person);
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

  it("for an earlier question of a kept run that by now asks another", async () => {
    const door = fakeDoor(aWaiting(APPROVAL));
    const { person, seen } = typing("y", "y");
    await hearPerson(door, "run_1", { type: "approval_asked", approval: "a0" }, person);
    await hearPerson(door, "run_1", { type: "question_asked", inquiry: "q1" }, person);
    expect([seen, door.requests.length]).toEqual([[], 2]);
  });

  it.each([
    ["approval_asked", APPROVAL],
    ["question_asked", INQUIRY],
  ])("any more after Ctrl-C at the prompt of %s: nothing is said for them", async (type, waiting) => {
    const door = fakeDoor(aWaiting(waiting));
    const { person, notes } = typing();
    await hearPerson(door, "run_1", { type, ...NAMES }, { ...person, hasLeft: () => true });
    expect([notes, door.requests.length]).toEqual([[], 1]);
  });
});

describe("a word that is not taken", () => {
  it("is asked for again when it was wrong", async () => {
    const refused = problem(400, "At most 2,000 characters.");
    const door = fakeDoor(aWaiting(INQUIRY), refused, aWaiting(INQUIRY), Response.json(aRun()));
    const { person, notes } = typing("too long", "2");
    await hearPerson(door, "run_1", { type: "question_asked", ...NAMES }, person);
    expect(notes.join()).toContain("At most 2,000 characters.");
    expect(door.requests.map(({ body }) => body)).toEqual([
      undefined,
      { inquiry: "q1", reply: "too long" },
      undefined,
      { inquiry: "q1", reply: "Number" },
    ]);
  });

  it("is told when it came too late, or when it was nobody's, and not asked for again", async () => {
    const late = fakeDoor(aWaiting(APPROVAL), problem(409, "The run waits for nobody."));
    const typed = typing("y", "y");
    await hearPerson(late, "run_1", { type: "approval_asked", ...NAMES }, typed.person);
    expect(typed.notes.join()).toContain("came too late: ");
    expect([typed.seen.length, late.requests.length]).toEqual([1, 2]);
    const wrong = fakeDoor(aWaiting(APPROVAL), problem(400, "Not like this."));
    const nobody = typing();
    await hearPerson(wrong, "run_1", { type: "approval_asked", ...NAMES }, nobody.person);
    expect([nobody.notes.at(-1), wrong.requests.length]).toEqual([expect.stringContaining("Not like this."), 2]);
  });
});
