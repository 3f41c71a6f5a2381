/** Think, as its documentation starts it: a model, a system prompt, a tool; its own loop, store and recovery. */
import { Think } from "@cloudflare/think";
import { modelOf, STEPS_MAX, SYSTEM, toolsOf, userMessage } from "./common.mjs";

export { CallerObject, default } from "./common.mjs";

export class RunObject extends Think {
  maxSteps = STEPS_MAX;

  getModel() {
    return modelOf(this.env);
  }

  getSystemPrompt() {
    return SYSTEM;
  }

  getTools() {
    return toolsOf(this.env);
  }

  async start({ question }) {
    const { status, error } = await this.saveMessages([userMessage(question)]);
    return status === "completed" ? "finished" : `${status}: ${error}`;
  }
}
