/** AIChatAgent, as its documentation starts it: `streamText` in `onChatMessage`; its own store and resumable streams. */
import { AIChatAgent } from "@cloudflare/ai-chat";
import { convertToModelMessages, stepCountIs, streamText } from "ai";
import { modelOf, STEPS_MAX, SYSTEM, toolsOf, userMessage } from "./common.mjs";

export { CallerObject, default } from "./common.mjs";

export class RunObject extends AIChatAgent {
  async onChatMessage() {
    const result = streamText({
      model: modelOf(this.env),
      system: SYSTEM,
      tools: toolsOf(this.env),
      messages: await convertToModelMessages(this.messages),
      stopWhen: stepCountIs(STEPS_MAX),
      maxRetries: 0,
    });
    return result.toUIMessageStreamResponse();
  }

  async start({ question }) {
    const { status, error } = await this.saveMessages((messages) => [...messages, userMessage(question)]);
    return status === "completed" ? "finished" : `${status}: ${error}`;
  }
}
