/**
 * Text that means nothing but itself inside Slack's markup, mrkdwn, and its notifications.
 *
 * Three characters begin everything that mrkdwn knows besides emphasis: mentions, links and dates stand in angle
 * brackets, and an ampersand begins an entity. Where a client may also make links and mentions out of plain words (the
 * top-level text of a message), the words are broken with an invisible joiner. Pure: no I/O, no clock.
 */

/** U+2060: no width, no line break, and no longer the word that a client looks for. */
const JOINER = "\u2060";

/** `text` without any markup but emphasis; for text objects with `verbatim: true`. */
export function escapeMrkdwn(text: string): string {
  return text.toWellFormed().replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** What Slack sends as `&amp;`, `&lt;` and `&gt;`, as it was typed. */
export function unescapeMrkdwn(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** As `escapeMrkdwn`, and no address or mention is left that a client could find by itself. */
export function toInertMrkdwn(text: string): string {
  return breakAddresses(escapeMrkdwn(text));
}

/** The same for a text that is mrkdwn already and has no markup but emphasis. */
export function breakAddresses(mrkdwn: string): string {
  return mrkdwn
    .replace(/:\/\//g, `:${JOINER}//`)
    .replace(/\b(mailto|tel):/gi, `$1${JOINER}:`)
    .replace(/@(?=\w)/g, `@${JOINER}`)
    .replace(/(?<=[a-z0-9])\.(?=[a-z]{2,24}\b)/gi, `.${JOINER}`);
}

/** A model's Markdown emphasis and headings as mrkdwn writes them; the rest stays as it is. */
export function fromMarkdown(text: string): string {
  return text.replace(/\*\*([^*\n]+)\*\*/g, "*$1*").replace(/^#{1,6} +(.+)$/gm, "*$1*");
}

/** A block of code that its own text cannot end. */
export function toCodeBlock(text: string): string {
  return `\`\`\`${escapeMrkdwn(text).replaceAll("`", `\`${JOINER}`)}\`\`\``;
}
