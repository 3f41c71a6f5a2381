/** For vitest's globalSetup: says in plain sight when there is no browser, since skipped tests are easily overlooked. */
import { CHROMIUM } from "./browser.ts";

export function setup(): void {
  if (CHROMIUM !== null) return;
  console.warn(
    "\nNo Chromium was found: the tests of the page in a browser are SKIPPED. Install one (Debian: apt-get install chromium) or set CHROMIUM_PATH.\n",
  );
}
