import { describe, expect, test } from "vitest";
import { PAGE_PATHS } from "../../../src/http/page.ts";
import { toRoute } from "../../../src/web/client/routes.ts";

describe("addresses of the page", () => {
  test("the browser knows every address that the worker sends the page for", () => {
    const kinds = PAGE_PATHS.map((path) => toRoute(path.replace(":id", "run_abc")).kind);
    expect(kinds).toEqual(["ask", "history", "schema", "run"]);
  });

  test("the id of a run is taken from its address, and anything else is unknown", () => {
    expect(toRoute("/runs/run_abc234")).toEqual({ kind: "run", id: "run_abc234" });
    for (const path of ["/runs/", "/runs/a/b", "/nowhere", "/runs/%3Cscript%3E"])
      expect(toRoute(path).kind).toBe("unknown");
  });
});
