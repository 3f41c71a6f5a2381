import { expect, it } from "vitest";
import { NO_MODEL } from "../../src/config.ts";
import { createNoModel } from "../../src/models/no-model.ts";
import { ask, failureOf, NEVER } from "./requests.ts";

it("C18: it costs nothing, and were it asked, it would say that there is no model", async () => {
  const model = createNoModel();
  expect(model.info.id).toBe(NO_MODEL);
  expect(model.boundInputTokens(ask())).toBe(0);
  expect(await model.countInputTokens(ask(), NEVER)).toBe(0);
  expect(Object.values(model.info.tiers[0] ?? {})).toEqual([0, 0, 0, 0, 0, 0]);
  expect(failureOf(await model.complete(ask(), NEVER))).toMatchObject({
    kind: "fatal",
    unbilled: true,
    message: expect.stringContaining("Ask the question anew"),
  });
});
