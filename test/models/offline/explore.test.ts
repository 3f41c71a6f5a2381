import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/agent/model.ts";
import { exploreSchema } from "../../../src/models/offline/explore.ts";
import { readTranscript } from "../../../src/models/offline/transcript.ts";
import { CLINIC } from "./examples.ts";
import { requestFor } from "./harness.ts";

const CUT = `${CLINIC}\n… 584 more tables: use list_tables to find them`;
const asked = (question: string): Message => ({ role: "user", text: question });

function answered(calls: readonly { name: string; input: unknown; data: unknown }[]): Message[] {
  const named = calls.map((call, index) => ({ id: `c${index}`, name: call.name, input: call.input }));
  return [
    { role: "assistant", content: [], text: "", calls: named },
    {
      role: "tool",
      results: calls.map((call, index) => ({
        callId: `c${index}`,
        isError: false,
        content: JSON.stringify({ status: "success", summary: "ok", data: call.data, next_actions: [], artifacts: [] }),
      })),
    },
  ];
}

describe("a schema that did not fit the prompt", () => {
  it("a whole schema needs no exploring", () => {
    expect(exploreSchema(readTranscript(requestFor(CLINIC, [asked("How many doctors are there?")])))).toBeNull();
  });

  it("looks for the words of the question first", () => {
    const next = exploreSchema(readTranscript(requestFor(CUT, [asked("How many wards are there per building?")])));
    expect(next?.calls).toEqual([
      { name: "list_tables", input: { search: "ward" } },
      { name: "list_tables", input: { search: "building" } },
    ]);
  });

  it("then has what was found described, but for what it knows already", () => {
    const listed = answered([
      { name: "list_tables", input: { search: "ward" }, data: { tables: [{ name: "Ward" }, { name: "Doctor" }] } },
    ]);
    const next = exploreSchema(readTranscript(requestFor(CUT, [asked("How many wards are there?"), ...listed])));
    expect(next?.calls).toEqual([{ name: "describe_tables", input: { tables: ["Ward"] } }]);
  });

  it("goes on once tables were described, and uses them", () => {
    const described = answered([
      { name: "list_tables", input: { search: "ward" }, data: { tables: [{ name: "Ward" }] } },
      {
        name: "describe_tables",
        input: { tables: ["Ward"] },
        data: { schema: "table Ward (3 rows)\n  WardId INTEGER primary key" },
      },
    ]);
    const transcript = readTranscript(requestFor(CUT, [asked("How many wards are there?"), ...described]));
    expect(exploreSchema(transcript)).toBeNull();
    expect(transcript.graph.tables.map((table) => table.name)).toContain("Ward");
  });
});
