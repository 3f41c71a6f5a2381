/**
 * What the Messages API, version 2026-10-21, refuses, in its own words as far as they are published.
 *
 * Owns: the shape and order rules of a request body. Each rule is a generator of faults in the order the API would
 * find them; the first one is the answer. Leaves to others: keys, sizes and transport (fake-anthropic.ts), signatures
 * of thinking blocks (anthropic-thinking.ts), tokens (anthropic-meter.ts). Pure: no I/O, no clock.
 */

export type JsonObject = { readonly [key: string]: unknown };

/** Facts of the models that the fake serves, kept apart from the table of src/models so that one checks the other. */
export interface FakeModel {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly minCacheableTokens: number;
  /** Thinking types that the model takes in a request. */
  readonly thinking: readonly string[];
  readonly forcedToolChoice: boolean;
}

const current = (thinking: readonly string[], forcedToolChoice = false): FakeModel => ({
  contextWindow: 1_000_000,
  maxOutputTokens: 128_000,
  minCacheableTokens: 512,
  thinking,
  forcedToolChoice,
});

export const FAKE_MODELS: ReadonlyMap<string, FakeModel> = new Map([
  ["claude-fable-5-2", current(["adaptive"])],
  ["claude-fable-5-1", current(["adaptive"])],
  ["claude-opus-5-5", current(["adaptive"])],
  ["claude-opus-5", current(["adaptive", "disabled"], true)],
  ["claude-sonnet-5-5", current(["adaptive", "between_tools"])],
  ["claude-sonnet-5", { ...current(["adaptive", "disabled"], true), minCacheableTokens: 1_024 }],
  // Whether Haiku 5.5 takes a forced tool choice is not published; the fake refuses it so that nothing relies on it.
  ["claude-haiku-5-5", current(["adaptive", "disabled"])],
  [
    "claude-haiku-4-5",
    {
      contextWindow: 200_000,
      maxOutputTokens: 64_000,
      minCacheableTokens: 4_096,
      thinking: ["enabled", "disabled"],
      forcedToolChoice: true,
    },
  ],
]);

const CREATE_FIELDS = new Set(
  "model max_tokens messages system tools tool_choice metadata stop_sequences stream thinking output_config cache_control container diagnostics inference_geo service_tier speed".split(
    " ",
  ),
);
const COUNT_FIELDS = new Set(
  "model messages system tools tool_choice thinking output_config cache_control speed".split(" "),
);
const BLOCK_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["text", new Set(["type", "text", "citations", "cache_control"])],
  ["thinking", new Set(["type", "thinking", "signature"])],
  ["redacted_thinking", new Set(["type", "data"])],
  ["tool_use", new Set(["type", "id", "name", "input", "caller", "cache_control", "toolset_name"])],
  ["tool_result", new Set(["type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"])],
]);
const ROLE_BLOCKS: ReadonlyMap<string, readonly string[]> = new Map([
  ["user", ["text", "tool_result"]],
  ["assistant", ["text", "thinking", "redacted_thinking", "tool_use"]],
  ["system", ["text"]],
]);
const TOOL_FIELDS = new Set(
  "name description input_schema type cache_control strict allowed_callers defer_loading eager_input_streaming input_examples".split(
    " ",
  ),
);
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const TOOL_USE_ID = /^[a-zA-Z0-9_-]+$/;
const CACHE_MARKS_MAX = 4;
const MESSAGES_MAX = 100_000;

/** The first fault of a body, or null. `kind` says which endpoint it was sent to. */
export function firstFault(body: unknown, kind: "create" | "count"): string | null {
  for (const fault of bodyFaults(body, kind)) return fault;
  return null;
}

function* bodyFaults(body: unknown, kind: "create" | "count"): Generator<string> {
  if (!isObject(body)) {
    yield "Input should be a valid dictionary";
    return;
  }
  const known = kind === "create" ? CREATE_FIELDS : COUNT_FIELDS;
  for (const field of Object.keys(body)) if (!known.has(field)) yield `${field}: Extra inputs are not permitted`;
  const model = FAKE_MODELS.get(String(body.model));
  if (model === undefined) return;
  if (kind === "create") yield* maxTokensFaults(body, model);
  yield* thinkingParameterFaults(body, model);
  yield* systemFaults(body.system);
  yield* toolFaults(body, model);
  yield* messageFaults(body.messages, body.tools !== undefined);
  yield* cacheFaults(body);
}

function* maxTokensFaults(body: JsonObject, model: FakeModel): Generator<string> {
  const value = body.max_tokens;
  if (value === undefined) yield "max_tokens: Field required";
  else if (typeof value !== "number" || !Number.isInteger(value)) yield "max_tokens: Input should be a valid integer";
  else if (value < 1) yield "max_tokens: Input should be greater than or equal to 1";
  else if (value > model.maxOutputTokens) {
    yield `max_tokens: ${value} > ${model.maxOutputTokens}, which is the maximum allowed number of output tokens for ${String(body.model)}`;
  }
}

function* thinkingParameterFaults(body: JsonObject, model: FakeModel): Generator<string> {
  const thinking = body.thinking;
  if (thinking === undefined) return;
  if (!isObject(thinking)) yield "thinking: Input should be a valid dictionary";
  else if (!model.thinking.includes(String(thinking.type))) {
    yield `thinking.type: "${String(thinking.type)}" is not supported by ${String(body.model)}`;
  }
}

function* systemFaults(system: unknown): Generator<string> {
  if (system === undefined || typeof system === "string") return;
  if (!Array.isArray(system)) {
    yield "system: Input should be a valid string";
    return;
  }
  for (const [index, block] of system.entries()) {
    if (!isObject(block) || block.type !== "text") yield `system.${index}.type: Input should be 'text'`;
    else yield* textFaults(block, `system.${index}`, "system");
  }
}

function* toolFaults(body: JsonObject, model: FakeModel): Generator<string> {
  const tools = body.tools;
  const choice = body.tool_choice;
  if (tools === undefined) {
    if (choice !== undefined) yield "tool_choice: tool_choice may only be specified while providing tools";
    return;
  }
  if (!Array.isArray(tools)) {
    yield "tools: Input should be a valid array";
    return;
  }
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) yield* oneToolFaults(tool, index, names);
  if (choice === undefined) return;
  const type = isObject(choice) ? choice.type : undefined;
  if (type === "any" || type === "tool") {
    if (!model.forcedToolChoice)
      yield `tool_choice.type: "${type}" is not supported by ${String(body.model)}; use "auto" or "none"`;
  } else if (type !== "auto" && type !== "none") {
    yield "tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'";
  }
}

function* oneToolFaults(tool: unknown, index: number, names: Set<string>): Generator<string> {
  const at = `tools.${index}.custom`;
  if (!isObject(tool)) {
    yield `tools.${index}: Input should be a valid dictionary`;
    return;
  }
  for (const field of Object.keys(tool))
    if (!TOOL_FIELDS.has(field)) yield `${at}.${field}: Extra inputs are not permitted`;
  const name = tool.name;
  if (typeof name !== "string" || !TOOL_NAME.test(name))
    yield `${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`;
  else if (names.has(name)) yield "tools: Tool names must be unique.";
  else names.add(name);
  const schema = tool.input_schema;
  if (!isObject(schema)) yield `${at}.input_schema: Field required`;
  else if (schema.type !== "object") yield `${at}.input_schema.type: Input should be 'object'`;
}

function* messageFaults(messages: unknown, hasTools: boolean): Generator<string> {
  if (messages === undefined) yield "messages: Field required";
  if (!Array.isArray(messages)) {
    yield "messages: Input should be a valid array";
    return;
  }
  if (messages.length === 0) yield "messages: at least one message is required";
  if (messages.length > MESSAGES_MAX) yield `messages: at most ${MESSAGES_MAX} messages are allowed`;
  for (const [index, message] of messages.entries()) yield* oneMessageFaults(message, index);
  const valid = messages.filter(isObject);
  if (valid[0]?.role !== "user") yield 'messages: first message must use the "user" role';
  yield* pairFaults(valid);
  if (!hasTools && valid.some((message) => blocksOf(message).some((block) => String(block.type).startsWith("tool_")))) {
    yield "tools: Field required. Requests which include `tool_use` or `tool_result` blocks must define tools.";
  }
  if (valid.at(-1)?.role === "assistant") {
    yield "This model does not support assistant message prefill. The conversation must end with a user message.";
  }
}

function* oneMessageFaults(message: unknown, index: number): Generator<string> {
  const at = `messages.${index}`;
  if (!isObject(message)) {
    yield `${at}: Input should be a valid dictionary`;
    return;
  }
  for (const field of Object.keys(message)) {
    if (field !== "role" && field !== "content") yield `${at}.${field}: Extra inputs are not permitted`;
  }
  const allowed = ROLE_BLOCKS.get(String(message.role));
  if (allowed === undefined) {
    yield `messages: Unexpected role "${String(message.role)}". Allowed roles are "user", "assistant" or "system".`;
    return;
  }
  const content = message.content;
  if (typeof content === "string") {
    if (content.trim() === "") yield "messages: text content blocks must contain non-whitespace text";
    return;
  }
  if (!Array.isArray(content)) yield `${at}.content: Input should be a valid array`;
  else if (content.length === 0) yield `${at}: all messages must have non-empty content`;
  else
    for (const [position, block] of content.entries())
      yield* blockFaults(block, allowed, message.role, `${at}.content.${position}`);
}

function* blockFaults(block: unknown, allowed: readonly string[], role: unknown, at: string): Generator<string> {
  const type = isObject(block) ? block.type : undefined;
  if (!isObject(block) || typeof type !== "string" || !allowed.includes(type)) {
    yield `${at}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: ${allowed.map((tag) => `'${tag}'`).join(", ")}`;
    return;
  }
  for (const field of Object.keys(block)) {
    if (BLOCK_FIELDS.get(type)?.has(field) !== true) yield `${at}.${type}.${field}: Extra inputs are not permitted`;
  }
  if (type === "text") yield* textFaults(block, at, "messages");
  if (type === "text" && role === "user" && Array.isArray(block.citations) && block.citations.length > 0) {
    yield `${at}.text.citations: citations are not permitted on text blocks of a user message`;
  }
  if (type === "tool_use") yield* toolUseFaults(block, at);
  if (type === "tool_result") yield* toolResultFaults(block, at);
  if (type === "thinking" && (typeof block.thinking !== "string" || typeof block.signature !== "string")) {
    yield `${at}.thinking.signature: Field required`;
  }
}

function* textFaults(block: JsonObject, at: string, where: string): Generator<string> {
  const text = block.text;
  if (typeof text !== "string") yield `${at}.text.text: Field required`;
  else if (text === "" && block.cache_control !== undefined)
    yield `${at}.text: cache_control cannot be set for empty text blocks`;
  else if (text === "") yield `${where}: text content blocks must be non-empty`;
  else if (text.trim() === "") yield `${where}: text content blocks must contain non-whitespace text`;
}

function* toolUseFaults(block: JsonObject, at: string): Generator<string> {
  if (typeof block.id !== "string" || !TOOL_USE_ID.test(block.id)) {
    yield `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
  }
  if (typeof block.name !== "string" || !/^[a-zA-Z0-9_-]{1,200}$/.test(block.name)) {
    yield `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`;
  }
  if (!isObject(block.input)) yield `${at}.tool_use.input: Input should be a valid dictionary`;
}

function* toolResultFaults(block: JsonObject, at: string): Generator<string> {
  if (typeof block.tool_use_id !== "string") yield `${at}.tool_result.tool_use_id: Field required`;
  const content = block.content;
  if (content !== undefined && typeof content !== "string" && !Array.isArray(content)) {
    yield `${at}.tool_result.content: Input should be a valid string`;
  }
  if (Array.isArray(content)) for (const inner of content.filter(isObject)) yield* textFaults(inner, at, "messages");
  if (block.is_error !== undefined && typeof block.is_error !== "boolean") {
    yield `${at}.tool_result.is_error: Input should be a valid boolean`;
  }
}

/** Calls and their results: ids used once, every call answered in the very next message, results first, none orphaned. */
function* pairFaults(messages: readonly JsonObject[]): Generator<string> {
  const used = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    for (const [position, block] of blocks.entries()) {
      if (block.type !== "tool_use") continue;
      if (used.has(String(block.id))) yield `messages.${index}.content.${position}: \`tool_use\` ids must be unique`;
      used.add(String(block.id));
    }
    const calls = idsOf(blocks, "tool_use", "id");
    const next = blocksOf(messages[index + 1] ?? {});
    const leading = next.slice(0, next.findIndex((block) => block.type !== "tool_result") >>> 0);
    const answered = new Set(idsOf(leading, "tool_result", "tool_use_id"));
    const missing = calls.filter((id) => !answered.has(id));
    if (missing.length > 0) {
      yield `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
    yield* resultFaults(blocks, index, new Set(idsOf(blocksOf(messages[index - 1] ?? {}), "tool_use", "id")));
  }
}

function* resultFaults(blocks: readonly JsonObject[], index: number, asked: ReadonlySet<string>): Generator<string> {
  const answered = new Set<string>();
  for (const [position, block] of blocks.entries()) {
    if (block.type !== "tool_result") continue;
    const id = String(block.tool_use_id);
    const at = `messages.${index}.content.${position}`;
    if (!asked.has(id)) {
      yield `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    if (answered.has(id))
      yield `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
    answered.add(id);
  }
}

function* cacheFaults(body: JsonObject): Generator<string> {
  const marks = [body.cache_control, ...markedBlocks(body).map((block) => block.cache_control)].filter(
    (mark) => mark !== undefined && mark !== null,
  );
  if (marks.length > CACHE_MARKS_MAX) {
    yield `A maximum of ${CACHE_MARKS_MAX} blocks with cache_control may be provided. Found ${marks.length}.`;
  }
  let shortSeen = false;
  for (const mark of marks) {
    const ttl = isObject(mark) ? (mark.ttl ?? "5m") : undefined;
    if (!isObject(mark) || mark.type !== "ephemeral") yield "cache_control.type: Input should be 'ephemeral'";
    else if (ttl !== "5m" && ttl !== "1h") yield "cache_control.ttl: Input should be '5m' or '1h'";
    else if (ttl === "1h" && shortSeen) yield "cache_control: a ttl='1h' block must not come after a ttl='5m' block";
    if (ttl === "5m") shortSeen = true;
  }
}

/** All blocks that can carry a mark, in cache order: tools, system, messages. */
export function markedBlocks(body: JsonObject): readonly JsonObject[] {
  const list = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);
  return [...list(body.tools), ...list(body.system), ...list(body.messages).flatMap(blocksOf)];
}

/** The blocks of a message, a plain string being one text block. */
export function blocksOf(message: JsonObject): readonly JsonObject[] {
  const content = message.content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function idsOf(blocks: readonly JsonObject[], type: string, field: string): string[] {
  return blocks.filter((block) => block.type === type).map((block) => String(block[field]));
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True when some string inside holds half a surrogate pair. */
export function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (Array.isArray(value)) return value.some(hasLoneSurrogate);
  return (
    isObject(value) && Object.entries(value).some(([key, inner]) => !key.isWellFormed() || hasLoneSurrogate(inner))
  );
}
