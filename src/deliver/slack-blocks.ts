/**
 * The few Block Kit shapes that Querent sends, and Slack's limits on them.
 *
 * Owns: that text which is not ours can only ever be text: mrkdwn objects are `verbatim`, so Slack makes no link and no
 * mention out of plain words, and everything that goes in is escaped by the caller of these functions. Pure.
 */

export interface MrkdwnText {
  readonly type: "mrkdwn";
  readonly text: string;
  readonly verbatim: true;
}

/** What a press of a button asks for. */
export type SlackAction =
  | "querent_stop"
  | "querent_continue"
  | "querent_rows"
  | "querent_share"
  | "querent_approve"
  | "querent_decline"
  | `querent_reply_${number}`;

export interface SlackButton {
  readonly type: "button";
  readonly action_id: SlackAction;
  readonly text: { readonly type: "plain_text"; readonly text: string; readonly emoji: false };
  readonly value: string;
  readonly style?: ButtonStyle;
}

export type ButtonStyle = "primary" | "danger";

export interface TableCell {
  readonly type: "raw_text";
  readonly text: string;
}

export type SlackBlock =
  | { readonly type: "section"; readonly text: MrkdwnText }
  | { readonly type: "context"; readonly elements: readonly MrkdwnText[] }
  | { readonly type: "actions"; readonly elements: readonly SlackButton[] }
  | {
      readonly type: "table";
      readonly rows: readonly (readonly TableCell[])[];
      readonly column_settings: readonly { readonly align: "left" | "right"; readonly is_wrapped: boolean }[];
    };

/** What one post says; `text` stands in notifications and wherever the blocks cannot. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

/** One message in three forms, for a Slack that refuses the better one. */
export interface SlackForms {
  readonly rich: SlackMessage;
  /** Without the table block, which is the newest and the most often refused. */
  readonly simple: SlackMessage;
  readonly plain: SlackMessage;
}

/** Slack allows 3,000; the rest is room for the marks around a text. */
export const SECTION_CHARS_MAX = 2_900;
/** Messages are refused as too long somewhere above 12,000 characters in all blocks; the exact place is not published. */
export const MESSAGE_CHARS_MAX = 11_500;
/** Slack recommends 4,000 for the text of a message. */
export const TEXT_CHARS_MAX = 3_900;

export function section(text: string): SlackBlock {
  return { type: "section", text: mrkdwn(text) };
}

export function context(...texts: readonly string[]): SlackBlock {
  return { type: "context", elements: texts.map(mrkdwn) };
}

export function actions(...elements: readonly SlackButton[]): SlackBlock {
  return { type: "actions", elements };
}

/** `action` is what the interactions endpoint is told, together with `value`. */
export function button(label: string, action: SlackAction, value: string, style?: ButtonStyle): SlackButton {
  return {
    type: "button",
    action_id: action,
    text: { type: "plain_text", text: label, emoji: false },
    value,
    ...(style && { style }),
  };
}

/** Characters in all texts of `blocks`. */
export function countChars(blocks: readonly SlackBlock[]): number {
  let chars = 0;
  for (const block of blocks) {
    if (block.type === "section") chars += block.text.text.length;
    if (block.type === "context") for (const element of block.elements) chars += element.text.length;
    if (block.type === "actions") for (const element of block.elements) chars += element.text.text.length;
    if (block.type === "table") for (const row of block.rows) for (const cell of row) chars += cell.text.length;
  }
  return chars;
}

function mrkdwn(text: string): MrkdwnText {
  return { type: "mrkdwn", text, verbatim: true };
}
