import { expect, it } from "vitest";
import { modelInfoOf } from "../../src/config/model-info.ts";
import { readConfig } from "../../src/config.ts";

it("every model that a question may name has its limits and prices; the offline model is free", () => {
  const config = readConfig({ ANTHROPIC_API_KEY: "k", QUERENT_LOCAL: "1" });
  expect(config.models.length).toBeGreaterThan(3);
  for (const id of config.models) {
    const info = modelInfoOf(config, id);
    expect(info.id).toBe(id);
    expect(info.tiers.some((tier) => tier.output > 0)).toBe(id !== "offline");
  }
  expect(() => modelInfoOf(config, "nobody")).toThrow(/has a price/);
});
