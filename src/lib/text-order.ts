/**
 * SQL that a person decides on is read in the order in which it runs. Pure: no I/O, no clock.
 */

/** Makes the characters visible that turn the direction of text; letters of any direction stay as they are. */
export function keepOrder(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}
