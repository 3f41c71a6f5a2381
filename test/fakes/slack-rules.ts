/**
 * What Slack refuses in a message, and what a client would make of one that it takes.
 *
 * The limits are Slack's published ones (Block Kit reference), and two that only its answers tell: the length of all
 * blocks together, and one table a message. Shapes are strict: an unknown field is `invalid_blocks`.
 */
import { z } from "zod";

const ALL_BLOCKS_CHARS_MAX = 13_200;
const TABLE_CHARS_MAX = 10_000;

const id = z.string().min(1).max(255);
const plain = (max: number) =>
  z.strictObject({
    type: z.literal("plain_text"),
    text: z.string().min(1).max(max),
    emoji: z.boolean().optional(),
  });
const mrkdwn = z.strictObject({
  type: z.literal("mrkdwn"),
  text: z.string().min(1).max(3_000),
  verbatim: z.boolean().optional(),
});
const button = z.strictObject({
  type: z.literal("button"),
  action_id: id,
  text: plain(75),
  value: z.string().max(2_000).optional(),
  url: z.string().max(3_000).optional(),
  style: z.enum(["primary", "danger"]).optional(),
});
const cell = z.strictObject({ type: z.literal("raw_text"), text: z.string().min(1) });
const blockSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("section"),
    block_id: id.optional(),
    text: z.union([mrkdwn, plain(3_000)]),
  }),
  z.strictObject({
    type: z.literal("context"),
    block_id: id.optional(),
    elements: z
      .array(z.union([mrkdwn, plain(3_000)]))
      .min(1)
      .max(10),
  }),
  z.strictObject({ type: z.literal("actions"), block_id: id.optional(), elements: z.array(button).min(1).max(25) }),
  z.strictObject({ type: z.literal("divider"), block_id: id.optional() }),
  z.strictObject({
    type: z.literal("table"),
    block_id: id.optional(),
    rows: z.array(z.array(cell).min(1).max(20)).min(1).max(100),
    column_settings: z
      .array(
        z.strictObject({
          align: z.enum(["left", "center", "right"]).optional(),
          is_wrapped: z.boolean().optional(),
        }),
      )
      .max(20)
      .optional(),
  }),
]);

export type FakeBlock = z.infer<typeof blockSchema>;

/** The fields of a message, beside those that say where it goes. */
export const messageSchema = z.object({
  text: z.string().optional(),
  blocks: z.array(z.unknown()).optional(),
  unfurl_links: z.boolean().optional(),
  unfurl_media: z.boolean().optional(),
});

export type FakeMessage = z.infer<typeof messageSchema>;

export interface CheckedMessage {
  /** Slack's error, or null. */
  readonly error: string | null;
  readonly blocks: readonly FakeBlock[];
}

export function checkMessage(message: FakeMessage): CheckedMessage {
  const refuse = (error: string): CheckedMessage => ({ error, blocks: [] });
  const given = message.blocks ?? [];
  if (given.length === 0 && (message.text ?? "") === "") return refuse("no_text");
  if (given.length > 50) return refuse("invalid_blocks");
  const parsed = z.array(blockSchema).safeParse(given);
  if (!parsed.success) return refuse("invalid_blocks");
  const blocks = parsed.data;
  const tables = blocks.filter((block) => block.type === "table");
  if (tables.length > 1) return refuse("invalid_attachments");
  const cellChars = tables.flatMap((table) => table.rows.flat()).reduce((sum, { text }) => sum + text.length, 0);
  if (cellChars > TABLE_CHARS_MAX) return refuse("invalid_blocks");
  const ids = blocks.flatMap((block) => (block.type === "actions" ? block.elements.map((one) => one.action_id) : []));
  if (new Set(ids).size < ids.length) return refuse("invalid_blocks");
  const chars = textsOf(blocks).reduce((sum, { text }) => sum + text.length, 0) + cellChars;
  if (chars > ALL_BLOCKS_CHARS_MAX) return refuse("msg_blocks_too_long");
  return { error: null, blocks };
}

export interface SeenMarkup {
  /** Everything that would notify somebody. */
  readonly mentions: readonly string[];
  /** Everything that could be clicked, buttons aside. */
  readonly links: readonly string[];
}

/** What a client makes of the texts of a message. Cells of tables are raw: nothing is made of them. */
export function readMarkup(message: FakeMessage, blocks: readonly FakeBlock[]): SeenMarkup {
  // The top-level text is shown in notifications, and instead of blocks; there, plain addresses become links.
  const texts = [{ text: message.text ?? "", isVerbatim: false }, ...textsOf(blocks)];
  const mentions: string[] = [];
  const links: string[] = [];
  for (const { text, isVerbatim } of texts) {
    for (const [, inner = ""] of text.matchAll(/<([^<>]+)>/g)) {
      if (/^[!@#]/.test(inner)) mentions.push(inner);
      else links.push(inner);
    }
    // What is no markup and no entity is a text that was not escaped.
    const bare = text.replace(/<[^<>]+>/g, "").match(/[<>]|&(?!amp;|lt;|gt;)/);
    if (bare !== null) mentions.push(`unescaped ${bare[0]}`);
    if (isVerbatim) continue;
    const rest = text.replace(/<[^<>]+>/g, "");
    for (const [word] of rest.matchAll(/@(?:here|channel|everyone)\b/g)) mentions.push(word);
    for (const [address] of rest.matchAll(/(?:https?:\/\/|mailto:)\S+|\b[a-z0-9-]+\.(?:com|org|net|io|example)\b/gi)) {
      links.push(address);
    }
  }
  return { mentions, links };
}

function textsOf(blocks: readonly FakeBlock[]): { readonly text: string; readonly isVerbatim: boolean }[] {
  return blocks.flatMap((block) => {
    if (block.type === "section") return [toText(block.text)];
    if (block.type === "context") return block.elements.map(toText);
    if (block.type === "actions") return block.elements.map((one) => toText(one.text));
    return [];
  });
}

function toText(text: { readonly type: string; readonly text: string; readonly verbatim?: boolean | undefined }) {
  return { text: text.text, isVerbatim: text.type === "plain_text" || text.verbatim === true };
}
