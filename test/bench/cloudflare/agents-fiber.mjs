/**
 * The `agents` SDK with its own checkpoints: a loop inside `runFiber()`, the conversation stashed once a step, so that an
 * eviction loses one step at most; the end is kept by `setState()`. The SDK has no loop of its own, so this one makes the
 * same requests as the floor. One stash a step is the least that can be gone on from: Querent saves before and after each
 * effect.
 */
import { Agent } from "agents";

export { CallerObject, default } from "./common.mjs";

export class RunObject extends Agent {
  initialState = { status: "new", answer: null };

  async start({ body }) {
    await this.runFiber("run", (fiber) => this.loop(fiber, body));
    return this.state.status;
  }

  async onFiberRecovered({ snapshot }) {
    if (snapshot !== null) await this.runFiber("run", (fiber) => this.loop(fiber, snapshot));
  }

  async loop(fiber, body) {
    let messages = body.messages;
    for (;;) {
      const response = await fetch(`${this.env.ANTHROPIC_BASE_URL}/v1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...body, messages }),
      });
      const { content } = await response.json();
      const calls = content.filter((block) => block.type === "tool_use");
      if (calls.length === 0) {
        this.setState({ status: "finished", answer: content });
        return;
      }
      const results = [];
      for (const call of calls) {
        const { results: rows } = await this.env.DB.prepare(call.input.sql).all();
        results.push({ type: "tool_result", tool_use_id: call.id, content: JSON.stringify(rows) });
      }
      messages = [...messages, { role: "assistant", content }, { role: "user", content: results }];
      fiber.stash({ ...body, messages });
    }
  }
}
