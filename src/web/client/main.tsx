/**
 * The page's script: starts the app in the frame that the worker sent.
 */
import { render } from "hono/jsx/dom";
import { App } from "./app.tsx";

const root = document.getElementById("app");
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
