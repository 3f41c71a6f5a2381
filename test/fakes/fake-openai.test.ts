/** The fake of chat completions is strict too. */
import { expect, test } from "vitest";
import { chatText, firstChatFault, startFakeOpenAi } from "./fake-openai.ts";

const user = { role: "user", content: "?" };
const calling = (...ids: readonly string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "q", arguments: "{}" } })),
});
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "{}" });
const valid = { model: "m", messages: [user] };

test.each([
  [{ temperature: 0 }, "Unrecognized request argument supplied: temperature"],
  [{ max_tokens: 5 }, "Use 'max_completion_tokens' instead"],
  [{ messages: [] }, "empty array"],
  [{ model: undefined }, "you must provide a model"],
  [{ tool_choice: "none" }, "only allowed when 'tools' are specified"],
  [{ tools: [{ type: "function", function: { name: "a b" } }] }, "does not match pattern"],
  [{ messages: [user, calling("a")] }, "did not have response messages: a"],
  [{ messages: [user, calling("a", "b"), result("a"), user] }, "did not have response messages: b"],
  [{ messages: [user, result("a")] }, "must be a response to a preceeding message"],
  [{ messages: [user, calling("a"), result("a"), calling("a"), result("a")] }, "Duplicate tool call id"],
  [{ messages: [user, { role: "assistant", content: null }, user] }, "got null"],
  [{ messages: [{ role: "user", content: "\ud83d" }] }, "lone surrogate"],
])("%j is refused", (fields, fault) => expect(firstChatFault({ ...valid, ...fields })).toContain(fault));

test("a good conversation is accepted", () => {
  expect(firstChatFault({ ...valid, messages: [user, calling("a", "b"), result("b"), result("a"), user] })).toBeNull();
});

test("close fails on unused replies and on unexpected calls", async () => {
  const unused = await startFakeOpenAi([chatText("a")]);
  await expect(unused.close()).rejects.toThrow("1 replies of the script were not used");
  const unexpected = await startFakeOpenAi([]);
  const response = await fetch(`${unexpected.url}/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer test-key" },
    body: JSON.stringify(valid),
  });
  expect(response.status).toBe(400);
  await response.arrayBuffer();
  await expect(unexpected.close()).rejects.toThrow("call 1 was unexpected");
});
