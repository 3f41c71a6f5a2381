/**
 * The Slack door in the contract: forms that Slack sends, signed over their raw bytes, and what it is answered.
 *
 * Owns: which fields of a form are looked at, in words, and the shape of a reply. The schemas describe: a form is read from
 * its bytes (slack-form.ts), since a parser would change what was signed; a test checks real answers against them.
 * Leaves to others: the door (slack.ts), how an app is set up (README). Pure.
 */
import * as z from "zod";
import type { ApiRoute } from "./api-route.ts";
import type { ProblemCode } from "./problems.ts";

const FORM = "application/x-www-form-urlencoded";

export const slackCommandSchema = z.looseObject({
  command: z.string().meta({ description: "As it was typed: /ask." }),
  text: z.string().meta({
    description: "The question; `share` before it answers in the channel; nothing or `help` is told how to ask.",
  }),
  response_url: z.string().meta({ description: "Where the answer goes. Must be of Slack's own origin." }),
  trigger_id: z.string().optional().meta({ description: "The same id again is the same question." }),
  team_id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
});

export const slackInteractionSchema = z.looseObject({
  payload: z.string().meta({
    description:
      "JSON of a `block_actions`: a press of Stop, Continue, Show rows or Post to channel. Other payloads are heard and let be.",
  }),
});

export const slackReplySchema = z.strictObject({
  response_type: z.enum(["ephemeral", "in_channel"]),
  text: z.string().meta({ description: "For notifications, and where blocks cannot be shown." }),
  blocks: z.array(z.looseObject({ type: z.string() })),
});

export const slackRowsQuerySchema = z.object({
  expires: z.string().meta({ description: "Unix seconds at which the link ends." }),
  signature: z.string().meta({ description: "Of the path and that time, by this server." }),
});

const SERVER_PROBLEMS: readonly ProblemCode[] = ["not_found", "internal", "unavailable", "not_configured"];
const FORM_PROBLEMS: readonly ProblemCode[] = [
  "invalid_request",
  "invalid_signature",
  "body_incomplete",
  "body_timeout",
  "body_too_large",
  "unsupported_media_type",
  ...SERVER_PROBLEMS,
];
const SIGNED = ["X-Slack-Request-Timestamp", "X-Slack-Signature"] as const;
const ONLY_SSL_CHECK = "The one request that needs no signature is `ssl_check=1`: an empty 200, and nothing is done.";

export const SLACK_ROUTES: readonly ApiRoute[] = [
  {
    method: "post",
    path: "/slack/commands",
    id: "receiveSlackCommand",
    summary: "Ask by a slash command",
    description: `For Slack alone. Answered within a second, whatever the question; the answer itself goes to \`response_url\`. ${ONLY_SSL_CHECK}`,
    tag: "slack",
    auth: "signature",
    takes: SIGNED,
    body: { schema: slackCommandSchema, required: true, type: FORM },
    answers: {
      200: {
        description:
          "What is shown at once: that the question is being worked on, how to ask, or why this person may not. Empty for `ssl_check`.",
        schema: slackReplySchema,
      },
    },
    problems: FORM_PROBLEMS,
  },
  {
    method: "get",
    path: "/slack/commands",
    id: "checkSlackCommands",
    summary: "Slack's check of the certificate: ?ssl_check=1",
    tag: "slack",
    auth: "none",
    query: z.object({ ssl_check: z.string().optional().meta({ description: "1" }) }),
    answers: { 200: { description: "The address is there; nothing was done." } },
    problems: ["not_found", "method_not_allowed", "not_configured"],
  },
  {
    method: "post",
    path: "/slack/interactions",
    id: "receiveSlackInteraction",
    summary: "A button of a message was pressed",
    description: `For Slack alone. A press counts once, and only of people who may ask. ${ONLY_SSL_CHECK}`,
    tag: "slack",
    auth: "signature",
    takes: SIGNED,
    body: { schema: slackInteractionSchema, required: true, type: FORM },
    answers: { 200: { description: "Heard. What comes of it is posted to the `response_url` of the payload." } },
    problems: FORM_PROBLEMS,
  },
  {
    method: "get",
    path: "/slack/results/{id}/{ref}",
    id: "readSlackRows",
    summary: "All rows of a result as CSV, by the signed link of a message in Slack",
    description: "The link is the permission: for one result of one run, for a week.",
    tag: "slack",
    auth: "none",
    query: slackRowsQuerySchema,
    answers: { 200: { description: "Every row.", texts: ["text/csv"] } },
    problems: ["result_not_found", ...SERVER_PROBLEMS],
  },
];
