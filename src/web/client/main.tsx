/**
 * The page's script: starts the app in the frame that the worker sent.
 *
 * The worker renders its frame with Hono's JSX; in the browser it is Preact, of the same size. Hono's own DOM renderer was
 * tried first and left a second copy of an answer behind when a view and its part were updated in the same moment.
 */
import { render } from "preact";
import { App } from "./app.tsx";

const root = document.getElementById("app");
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
