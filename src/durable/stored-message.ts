/**
 * A message of the conversation in the form it is stored in: what stands in it twice stands in the row once.
 *
 * Owns: the form. What is empty or false is left out, and the calls of a reply where its content says the same. An
 * observation, JSON text within JSON, is stored as the value it stands for where that gives back the same text. Whatever
 * differs is stored as it is.
 *
 * STORED CONTRACT: fields are only ever added; a message stored whole is read too. Pure.
 */
import * as z from "zod";
import type { Message, ToolCall } from "../agent/model.ts";

const callSchema = z.looseObject({ id: z.string(), name: z.string(), input: z.unknown() });
const resultSchema = z.looseObject({ callId: z.string(), isError: z.boolean().default(false) });

export const messageSchema: z.ZodType<Message> = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("user"), text: z.string() }),
  z
    .looseObject({
      role: z.literal("assistant"),
      content: z.unknown(),
      text: z.string().default(""),
      calls: z.array(callSchema).optional(),
    })
    .transform((message) => ({ ...message, calls: message.calls ?? callsOf(message.content) })),
  z.looseObject({
    role: z.literal("tool"),
    results: z.array(
      z.union([
        resultSchema.extend({ content: z.string() }),
        resultSchema
          .extend({ observation: z.unknown() })
          .transform(({ observation, ...result }) => ({ ...result, content: JSON.stringify(observation) })),
      ]),
    ),
    note: z.string().exactOptional(),
  }),
]);

export function encodeMessage(message: Message): string {
  switch (message.role) {
    case "user":
      return JSON.stringify(message);
    case "assistant": {
      const { calls, text, ...rest } = message;
      const isSaid = JSON.stringify(calls) === JSON.stringify(callsOf(message.content));
      return JSON.stringify({ ...rest, ...(text === "" ? {} : { text }), ...(isSaid ? {} : { calls }) });
    }
    case "tool": {
      const results = message.results.map(({ content, isError, ...result }) => {
        const observation = parseSame(content);
        const said = observation === undefined ? { content } : { observation };
        return { ...result, ...(isError ? { isError } : {}), ...said };
      });
      return JSON.stringify({ ...message, results });
    }
  }
}

/** The tool calls that a vendor's content holds in the form of the Messages API; none in any other form. */
function callsOf(content: unknown): ToolCall[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    const call = toolUseSchema.safeParse(block);
    return call.success ? [{ id: call.data.id, name: call.data.name, input: call.data.input }] : [];
  });
}

const toolUseSchema = z.looseObject({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});

/** Undefined when the text is no JSON, or not the text that its value would be written as. */
function parseSame(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    // Any text may stand in a result; this one is stored as it is.
    return undefined;
  }
}
