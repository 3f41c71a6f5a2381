import { describe, expect, it } from "vitest";
import { decodeSettings, encodeSettings, type RunSettings } from "../../src/durable/settings.ts";
import { LIMITS } from "../agent/states.ts";

const SETTINGS: RunSettings = {
  id: "run_1",
  question: "How many?",
  caller: "anna",
  mode: "auto",
  grounding: "report",
  model: "offline",
  tools: ["final_answer"],
  limits: LIMITS,
  scopes: {
    tables: { allow: ["Customer"], deny: [] },
    columns: { deny: ["Customer.Email"], mask: ["*.Phone"] },
    maskValues: ["email"],
    rowCap: 500,
  },
  callbackUrl: null,
  inheritedNanoUsd: 7,
};

describe("stored settings", () => {
  it("come back as they were, scopes and all", () => {
    expect(decodeSettings(encodeSettings(SETTINGS))).toMatchObject({ ok: true, value: SETTINGS });
    const open = decodeSettings(encodeSettings({ ...SETTINGS, scopes: {} }));
    expect(open.ok && open.value.scopes).toEqual({});
  });

  it("of an older release, without what runs inherit, are read", () => {
    const { inheritedNanoUsd: _new, ...older } = SETTINGS;
    expect(decodeSettings(JSON.stringify(older))).toMatchObject({ ok: true, value: { inheritedNanoUsd: 0 } });
  });

  it("hold for how long the prefix is kept; without a word, as an older release left it, for five minutes", () => {
    const long = decodeSettings(encodeSettings({ ...SETTINGS, promptCache: "1h" }));
    expect(long.ok && long.value.promptCache).toBe("1h");
    const older = decodeSettings(encodeSettings(SETTINGS));
    expect(older.ok && "promptCache" in older.value).toBe(false);
    expect(decodeSettings(JSON.stringify({ ...SETTINGS, promptCache: "1d" }))).toMatchObject({
      ok: false,
      error: expect.stringContaining("promptCache"),
    });
  });

  it("that cannot be trusted are refused with the place, never read as without scopes", () => {
    expect(decodeSettings("{")).toMatchObject({ ok: false, error: expect.stringContaining("not JSON") });
    const { scopes: _scopes, ...without } = SETTINGS;
    expect(decodeSettings(JSON.stringify(without))).toMatchObject({
      ok: false,
      error: expect.stringContaining("scopes"),
    });
    const odd = { ...SETTINGS, scopes: { tabels: { deny: ["Secret"] } } };
    expect(decodeSettings(JSON.stringify(odd))).toMatchObject({ ok: false, error: expect.stringContaining("scopes") });
  });
});
