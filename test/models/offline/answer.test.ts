import { describe, expect, it } from "vitest";
import { writeAnswer } from "../../../src/models/offline/answer.ts";
import type { ShownRows } from "../../../src/models/offline/transcript.ts";
import { CLINIC, intentFor } from "./examples.ts";

const rowsOf = (columns: string[], rows: unknown[][], totalRows = rows.length): ShownRows => ({
  columns,
  rows,
  totalRows,
  truncated: false,
});

describe("answers from rows", () => {
  it("A4: a count names what was counted and cites its cell", () => {
    const final = writeAnswer(
      rowsOf(["patient_count"], [[8]]),
      "r1",
      intentFor(CLINIC, "How many patients are there?"),
    );
    expect(final.answer).toBe("There are 8 patients.");
    expect(final.results).toEqual(["r1"]);
    expect(final.citations).toEqual([{ figure: "8", result: "r1", row: 1, column: "patient_count" }]);
  });

  it("a filtered count says that rows match", () => {
    const intent = intentFor(CLINIC, "How many patients have no phone?");
    expect(writeAnswer(rowsOf(["patient_count"], [[1]]), "r1", intent).answer).toBe("1 patient matches.");
  });

  it("one row goes by its name, with its figures behind", () => {
    const rows = rowsOf(["DoctorId", "FirstName", "LastName", "Salary"], [[1, "Mara", "Quint", 9800.5]]);
    const final = writeAnswer(rows, "r2", null);
    expect(final.answer).toBe("Mara Quint (salary: 9800.5).");
    expect(final.citations).toEqual([{ figure: "9800.5", result: "r2", row: 1, column: "Salary" }]);
  });

  it("many rows are listed up to ten, and the rest is not counted in a figure of our own", () => {
    const rows = rowsOf(
      ["name", "n"],
      Array.from({ length: 12 }, (_unused, index) => [`x${index}`, index]),
    );
    const { answer, citations } = writeAnswer(rows, "r1", null);
    expect(answer.split("\n")).toHaveLength(12);
    expect(answer).toContain("12 rows (name, n):");
    expect(answer).toContain("the other rows are in the table");
    expect(citations.every((citation) => answer.includes(citation.figure))).toBe(true);
  });

  it("a value that JSON cannot hold is told as its text, or by its size", () => {
    const rows = rowsOf(
      ["n", "photo"],
      [
        [
          { type: "integer", text: "9223372036854775807" },
          { type: "blob", blob: 12, hex: "00" },
        ],
      ],
    );
    const final = writeAnswer(rows, "r1", null);
    expect(final.answer).toBe("n: 9223372036854775807, photo: (12 bytes).");
    expect(final.citations[0]?.figure).toBe("9223372036854775807");
  });

  it("a long fraction is rounded, the figure as written is what is cited", () => {
    const final = writeAnswer(rowsOf(["average_fee"], [[92.51941747]]), "r1", null);
    expect(final.answer).toBe("The average fee is 92.52.");
    expect(final.citations[0]?.figure).toBe("92.52");
  });

  it("no row, and a figure of nothing, are said as such", () => {
    expect(writeAnswer(rowsOf(["a", "b"], []), "r1", intentFor(CLINIC, "List all doctors")).answer).toBe(
      "No row of Doctor matches the question.",
    );
    expect(writeAnswer(rowsOf(["max_fee"], [[null]]), "r1", null).answer).toContain("no row has a value");
  });

  it("words that found no use are named", () => {
    const intent = { ...intentFor(CLINIC, "How many patients are there?"), unread: ["purple"] };
    expect(writeAnswer(rowsOf(["patient_count"], [[6]]), "r1", intent).answer).toContain(
      'I could not place "purple" in the question and left it out.',
    );
  });
});
