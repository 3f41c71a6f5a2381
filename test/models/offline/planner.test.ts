import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makePlan } from "../../../src/models/offline/planner.ts";
import { CLINIC, graphOf, planFor, SHOP, sqlFor } from "./examples.ts";

describe("plans", () => {
  it("looks for a name before it filters by it", () => {
    expect(planFor(CLINIC, "What is the salary of Mara Quint?")).toEqual({ kind: "probe", values: ["Mara Quint"] });
  });

  it("a sample settles a value without a probe", () => {
    expect(planFor(CLINIC, "Which patients live in Ghent?").kind).toBe("query");
  });

  it("says that a value is nowhere, instead of answering with nothing", () => {
    const plan = planFor(CLINIC, "How many appointments did Zed Nobody have?", { "zed nobody": [] });
    expect(plan).toEqual({ kind: "value_missing", value: "Zed Nobody" });
  });

  it.each(["What is the meaning of life?", "hello", "asdf qwer zxcv", "Tell me a joke"])(
    "does not guess at: %s",
    (question) => {
      const words = question.toLowerCase().match(/[a-z]+/g) ?? [];
      const found = Object.fromEntries(words.map((word) => [word, []]));
      expect(planFor(CLINIC, question, found).kind).toBe("not_understood");
    },
  );

  it("declines when what is to be added up cannot be placed", () => {
    const schema = "table wide (2 rows)\n  c1 TEXT\n  c2 TEXT";
    expect(planFor(schema, "What is the sum of c149 in wide?", { c149: [] })).toEqual({
      kind: "not_understood",
      unread: ["c149"],
    });
  });

  describe("with a table hidden", () => {
    const without = (schema: string, table: string): string =>
      schema
        .split(/\n(?=table )/)
        .filter((text) => !text.startsWith(`table ${table} `))
        .join("\n");

    it.each([
      ["users", "List the users", "users"],
      ["users", "How many users are there?", "users"],
      ["users", "How many orders are there per user?", "user"],
      ["users", "Which user has the most orders?", "user"],
      ["orders", "How many orders are there?", "orders"],
      ["products", "List the products", "products"],
    ])("a key that points to %s does not stand for them: %s", (table, question, name) => {
      expect(planFor(without(SHOP, table), question)).toEqual({ kind: "table_missing", name });
    });

    it("neither does one whose arrow is shown, or is part of a key", () => {
      const schema = "table visit (9 rows)\n  id INTEGER primary key\n  doctor INTEGER\n  rep INTEGER -> staff.id";
      expect(planFor(schema, "How many representatives are there?").kind).toBe("table_missing");
      const bridge = "table seat (9 rows)\n  hall_id INTEGER primary key 1\n  row INTEGER primary key 2";
      expect(planFor(bridge, "List the halls").kind).toBe("table_missing");
    });

    it("its ids are listed for who asks for ids, and rows without one are found", () => {
      const hidden = without(SHOP, "users");
      expect(sqlFor(hidden, "List the user ids of orders", { ids: [] })).toBe("SELECT user_id FROM orders");
      expect(sqlFor(hidden, "How many orders are there?")).toBe("SELECT count(*) AS orders_count FROM orders");
    });
  });

  it.each([
    "What is the email of patient Mara Quint?",
    "List the emails of patients",
    "What is the email address of Mara Quint?",
    "What is Mara Quint's email?",
    "Who is the oldest janitor?",
  ])("never answers with something else than what was asked for: %s", (question) => {
    const name = [{ table: "Patient", columns: ["FirstName", "LastName"], values: ["Mara", "Quint"], whole: true }];
    const plan = planFor(CLINIC, question, { "mara quint": name, email: [], emails: [], janitor: [] });
    expect(plan.kind).toBe("not_understood");
  });

  it("looks for at most three values at once", () => {
    const plan = planFor(CLINIC, "Which patients are Aa Bb, Cc Dd, Ee Ff, Gg Hh or Ii Jj?");
    expect(plan.kind === "probe" ? plan.values.length : 0).toBe(3);
  });

  it("a second try leaves out what only helps the reader", () => {
    const plan = planFor(CLINIC, "List all departments", {}, true);
    expect(plan.kind === "query" ? plan.sql : "").toBe("SELECT Name\nFROM Department");
  });

  it("the same input gives the same plan, any text gives a plan, and every query is one SELECT", () => {
    const words =
      "how many doctors patients per department with no salary over 5 the most 'x' in 2023 and or not each by average fee of Ghent highest first , ? .".split(
        " ",
      );
    const question = fc.oneof(
      fc.array(fc.constantFrom(...words), { maxLength: 14 }).map((list) => list.join(" ")),
      fc.string({ maxLength: 80 }),
    );
    for (const schema of [CLINIC, SHOP]) {
      const graph = graphOf(schema);
      fc.assert(
        fc.property(question, (text) => {
          const input = { question: text, graph, probed: new Map(), plain: false };
          const plan = makePlan(input);
          expect(makePlan(input)).toEqual(plan);
          if (plan.kind === "query") expect(plan.sql).toMatch(/^SELECT [^;]*$/);
        }),
        { numRuns: 300 },
      );
    }
  });
});
