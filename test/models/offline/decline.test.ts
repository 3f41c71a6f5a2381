import { describe, expect, it } from "vitest";
import { exampleQuestions, writeDecline, writeTables } from "../../../src/models/offline/decline.ts";
import { CLINIC, graphOf, planFor, SHOP } from "./examples.ts";

describe("declining", () => {
  it.each([CLINIC, SHOP])("every example offered is one that is read", (schema) => {
    const examples = exampleQuestions(graphOf(schema));
    expect(examples.length).toBeGreaterThanOrEqual(3);
    for (const example of examples) expect([example, planFor(schema, example).kind]).toEqual([example, "query"]);
  });

  it("names the words that it could not place, and claims nothing", () => {
    const text = writeDecline(graphOf(CLINIC), ["meaning", "life"]);
    expect(text).toContain('"meaning", "life"');
    expect(text).toContain("How many");
  });

  it("has no examples for a schema without tables", () => {
    expect(writeDecline(graphOf(""), [])).not.toContain("Things I can read");
  });

  it("tells the tables to who asks for them", () => {
    expect(writeTables(graphOf(CLINIC))).toContain("- Department: DepartmentId, Name, Floor");
  });

  it("the number of tables comes first, views apart, tables not shown counted", () => {
    expect(writeTables(graphOf(CLINIC))).toMatch(/^There are 6 tables\. /);
    expect(writeTables(graphOf("table a (1 rows)\n  id INTEGER\nview b\n  id INTEGER"))).toMatch(
      /^There is 1 table and 1 view\. /,
    );
    const cut = `${CLINIC}\n… 584 more tables: use list_tables to find them`;
    expect(writeTables(graphOf(cut))).toMatch(/^There are 590 tables\. /);
  });
});
