import { describe, expect, it } from "vitest";
import { readRetentionMs } from "../../src/config/retention.ts";
import { readConfig } from "../../src/config.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

describe("QUERENT_RETENTION_DAYS", () => {
  it.each([
    [undefined, 30],
    ["", 30],
    ["1", 1],
    [" 90\n", 90],
    [7, 7],
    ["365", 365],
  ])("%j keeps a finished run %s days", (given, days) => {
    expect(readConfig({ QUERENT_RETENTION_DAYS: given }).retentionMs).toBe(days * DAY_MS);
  });

  it.each(["0", "-1", "366", "1000", "1.5", "030", "NaN", "1e1", "Infinity", "30 days", 0, -1, 1.5, Number.NaN, 366])(
    "%j stops the start, and the message says what is wanted",
    (given) => {
      expect(() => readRetentionMs({ QUERENT_RETENTION_DAYS: given })).toThrow(
        "QUERENT_RETENTION_DAYS must be a whole number of days from 1 to 365",
      );
    },
  );

  it.each([true, null, {}, ["30"]])("%j is no number of days", (given) => {
    const read = () => readRetentionMs({ QUERENT_RETENTION_DAYS: given });
    if (given === null) expect(read()).toBe(30 * DAY_MS);
    else expect(read).toThrow("QUERENT_RETENTION_DAYS must be text");
  });
});
