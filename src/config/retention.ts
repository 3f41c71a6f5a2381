/**
 * QUERENT_RETENTION_DAYS: how long a finished run is kept. Owns: its bounds and what holds when it cannot be read: a
 * setting that is broken deletes nothing early. Leaves to others: the deletion (durable/aftermath.ts).
 * Pure: no I/O, no clock.
 */
import { ConfigError, readText, type Variables } from "./variables.ts";

const NAME = "QUERENT_RETENTION_DAYS";
const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS_DEFAULT = 30;
const DAYS_MAX = 365;

/** The longest time that can be set. */
export const RETENTION_MS_MAX = DAYS_MAX * DAY_MS;

/** Milliseconds after its end at which a run is deleted. Wrangler may hand in a number where TOML holds one. */
export function readRetentionMs(variables: Variables): number {
  const given = variables[NAME];
  const text = typeof given === "number" ? String(given) : readText(variables, NAME);
  if (text === null) return DAYS_DEFAULT * DAY_MS;
  const days = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > DAYS_MAX) {
    throw new ConfigError(`${NAME} must be a whole number of days from 1 to ${DAYS_MAX}, such as ${DAYS_DEFAULT}.`);
  }
  return days * DAY_MS;
}
