/**
 * A Slack workspace in memory: people type commands and press buttons, and messages are where they are seen.
 *
 * Owns: signed requests to the app; response URLs with their five posts and half hour; `chat.postMessage`; whether a
 * message replaces another. Runs in Node and in workerd; fake-slack.ts puts it behind real HTTP. Time is the caller's.
 */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { checkMessage, type FakeBlock, messageSchema, readMarkup, type SeenMarkup } from "./slack-rules.ts";

export interface WorkspaceOptions {
  readonly signingSecret: string;
  readonly botToken?: string | undefined;
  /** Where response URLs point. */
  readonly origin: string;
  readonly now: () => number;
  /**
   * Whether a response URL of a command can replace what the command showed first. Slack's documents say so; people
   * report that it shows a new message instead. A press of a button can always replace the message with the button.
   */
  readonly commandsReplace?: boolean | undefined;
}

export interface SignedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface IssuedCommand extends SignedRequest {
  readonly responseUrl: string;
  readonly triggerId: string;
}

export interface VisibleMessage {
  ts: string;
  readonly channel: string;
  /** The one person who sees it, or null: everybody in the channel. */
  readonly to: string | null;
  text: string;
  blocks: readonly FakeBlock[];
  markup: SeenMarkup;
  /** How often it was replaced. */
  replaced: number;
}

export interface PostRecord {
  readonly to: string;
  readonly status: number;
  readonly error: string | null;
  readonly body: unknown;
}

/** What the next request gets instead of being handled; `then`: it is handled, and only the answer differs. */
export type Fault =
  | { readonly kind: "answer"; readonly status: number; readonly body?: string; readonly retryAfter?: string }
  | { readonly kind: "hang" }
  | { readonly kind: "cut_before" }
  | { readonly kind: "cut_after" };

export type FakeAnswer =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: "hang" }
  | { readonly kind: "cut" };

interface ResponseUrl {
  readonly channel: string;
  readonly userId: string;
  readonly expiresAt: number;
  readonly kind: "command" | "press";
  uses: number;
  /** What it would replace. */
  original: VisibleMessage | null;
}

interface Who {
  readonly userId?: string;
  readonly channelId?: string;
  readonly teamId?: string;
}

const POSTS_MAX = 5;
const LIFETIME_MS = 30 * 60_000;
const postSchema = messageSchema.extend({
  response_type: z.enum(["ephemeral", "in_channel"]).optional(),
  replace_original: z.boolean().optional(),
  delete_original: z.boolean().optional(),
});
const channelPostSchema = messageSchema.extend({ channel: z.string(), client_msg_id: z.string().optional() });

/** Over all workspaces: Slack never gives one name twice. */
let serial = 0;

export type Workspace = ReturnType<typeof createWorkspace>;

export function createWorkspace(options: WorkspaceOptions) {
  const urls = new Map<string, ResponseUrl>();
  const messages: VisibleMessage[] = [];
  const posts: PostRecord[] = [];
  const faults: Fault[] = [];
  const sentIds = new Map<string, string>();
  const next = (): number => {
    serial += 1;
    return serial;
  };
  const newTs = (): string => `${Math.floor(options.now() / 1000)}.${String(next()).padStart(6, "0")}`;

  function issueUrl(url: Omit<ResponseUrl, "uses" | "expiresAt">, folder: string): string {
    const address = `${options.origin}/${folder}/T0001/${next()}/secret${next()}`;
    urls.set(address, { ...url, uses: 0, expiresAt: options.now() + LIFETIME_MS });
    return address;
  }

  function show(
    channel: string,
    to: string | null,
    parsed: z.infer<typeof messageSchema>,
    blocks: readonly FakeBlock[],
  ) {
    const message: VisibleMessage = {
      ts: newTs(),
      channel,
      to,
      text: parsed.text ?? "",
      blocks,
      markup: readMarkup(parsed, blocks),
      replaced: 0,
    };
    messages.push(message);
    return message;
  }

  function postToUrl(address: string, body: unknown): readonly [status: number, error: string | null] {
    const url = urls.get(address);
    if (url === undefined) return [404, "no_service"];
    if (options.now() >= url.expiresAt) return [404, "expired_url"];
    if (url.uses >= POSTS_MAX) return [404, "used_url"];
    const parsed = postSchema.safeParse(body);
    if (!parsed.success) return [400, "invalid_payload"];
    const checked = checkMessage(parsed.data);
    if (checked.error !== null) return [400, checked.error];
    url.uses += 1;
    const { original } = url;
    const canReplace = original !== null && (url.kind === "press" || (options.commandsReplace ?? true));
    if (parsed.data.replace_original === true && canReplace) {
      // It stays where it was and for whom it was: an ephemeral message is never turned into a public one.
      original.text = parsed.data.text ?? "";
      original.blocks = checked.blocks;
      original.markup = readMarkup(parsed.data, checked.blocks);
      original.replaced += 1;
      return [200, null];
    }
    const to = parsed.data.response_type === "in_channel" ? null : url.userId;
    const shown = show(url.channel, to, parsed.data, checked.blocks);
    if (url.kind === "command") url.original ??= shown;
    return [200, null];
  }

  function postToApi(headers: Headers, body: unknown): readonly [status: number, reply: object] {
    const refuse = (error: string): readonly [number, object] => [200, { ok: false, error }];
    if (headers.get("authorization") !== `Bearer ${options.botToken ?? ""}`) return refuse("invalid_auth");
    const parsed = channelPostSchema.safeParse(body);
    if (!parsed.success) return refuse("invalid_arguments");
    if (!/^[CDGU][A-Z0-9]+$/.test(parsed.data.channel)) return refuse("channel_not_found");
    const checked = checkMessage(parsed.data);
    if (checked.error !== null) return refuse(checked.error);
    const known = parsed.data.client_msg_id === undefined ? undefined : sentIds.get(parsed.data.client_msg_id);
    if (known !== undefined) return [200, { ok: true, ts: known }];
    const { channel } = parsed.data;
    const shown = show(channel, channel.startsWith("U") ? channel : null, parsed.data, checked.blocks);
    if (parsed.data.client_msg_id !== undefined) sentIds.set(parsed.data.client_msg_id, shown.ts);
    return [200, { ok: true, channel, ts: shown.ts }];
  }

  function handle(method: string, address: string, headers: Headers, text: string): FakeAnswer {
    const fault = faults.shift();
    if (fault?.kind === "hang") return { kind: "hang" };
    if (fault?.kind === "cut_before") return { kind: "cut" };
    if (fault?.kind === "answer") {
      posts.push({ to: address, status: fault.status, error: fault.body ?? "", body: parse(text) });
      const retryAfter = fault.retryAfter === undefined ? {} : { "retry-after": fault.retryAfter };
      return { kind: "answer", status: fault.status, body: fault.body ?? "", headers: retryAfter };
    }
    const isApi = new URL(address).pathname === "/api/chat.postMessage";
    const body = parse(text);
    const isJson = method === "POST" && (headers.get("content-type") ?? "").startsWith("application/json");
    const [status, reply] = !isJson
      ? ([400, "invalid_payload"] as const)
      : isApi
        ? postToApi(headers, body)
        : postToUrl(address, body);
    const error = typeof reply === "string" ? reply : reply !== null && "error" in reply ? String(reply.error) : null;
    posts.push({ to: isApi ? "chat.postMessage" : address, status, error, body });
    if (fault?.kind === "cut_after") return { kind: "cut" };
    const answer = typeof reply === "object" && reply !== null ? JSON.stringify(reply) : (reply ?? "ok");
    return { kind: "answer", status, body: answer, headers: {} };
  }

  return {
    messages,
    posts,
    faults,
    handle,
    /** Somebody types `/ask TEXT`. */
    command(text: string, who: Who & { readonly triggerId?: string; readonly command?: string } = {}): IssuedCommand {
      const { userId = "U0001", channelId = "C0001", teamId = "T0001" } = who;
      const responseUrl = issueUrl({ channel: channelId, userId, kind: "command", original: null }, "commands");
      const triggerId = who.triggerId ?? `${next()}.${next()}.0123456789abcdef`;
      const fields = {
        token: "deprecated",
        team_id: teamId,
        team_domain: "fake",
        channel_id: channelId,
        channel_name: "general",
        user_id: userId,
        user_name: "somebody",
        command: who.command ?? "/ask",
        text,
        api_app_id: "A0001",
        is_enterprise_install: "false",
        response_url: responseUrl,
        trigger_id: triggerId,
      };
      const body = new URLSearchParams(fields).toString();
      return { ...sign(options, "/slack/commands", body), responseUrl, triggerId };
    },
    /** Shows what the app has answered to a command at once. Throws when Slack would show an error instead. */
    acknowledge(issued: IssuedCommand, status: number, text: string): VisibleMessage | null {
      if (status !== 200) throw new Error(`The command failed with status ${status}.`);
      if (text === "") return null;
      const parsed = postSchema.parse(JSON.parse(text));
      const checked = checkMessage(parsed);
      if (checked.error !== null) throw new Error(`Slack does not take the answer to a command: ${checked.error}`);
      const url = urls.get(issued.responseUrl);
      if (url === undefined) throw new Error("No such command.");
      const to = parsed.response_type === "in_channel" ? null : url.userId;
      url.original = show(url.channel, to, parsed, checked.blocks);
      return url.original;
    },
    /** Somebody presses a button of a message. */
    press(message: VisibleMessage, actionId: string, who: Who & { readonly actionTs?: string } = {}) {
      const { userId = message.to ?? "U0001", channelId = message.channel, teamId = "T0001" } = who;
      const button = message.blocks
        .flatMap((block) => (block.type === "actions" ? block.elements : []))
        .find((element) => element.action_id === actionId);
      if (button === undefined) throw new Error(`The message has no button ${actionId}.`);
      const responseUrl = issueUrl({ channel: channelId, userId, kind: "press", original: message }, "actions");
      const payload = {
        type: "block_actions",
        user: { id: userId, username: "somebody", team_id: teamId },
        api_app_id: "A0001",
        token: "deprecated",
        container: {
          type: "message",
          message_ts: message.ts,
          channel_id: channelId,
          is_ephemeral: message.to !== null,
        },
        trigger_id: `${next()}.${next()}.0123456789abcdef`,
        team: { id: teamId, domain: "fake" },
        enterprise: null,
        is_enterprise_install: false,
        channel: { id: channelId, name: "general" },
        response_url: responseUrl,
        actions: [
          {
            type: "button",
            block_id: "b1",
            action_id: actionId,
            action_ts: who.actionTs ?? newTs(),
            text: button.text,
            value: button.value,
          },
        ],
      };
      const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
      return { ...sign(options, "/slack/interactions", body), responseUrl };
    },
    /** Posts that a response URL has taken. */
    usesOf: (responseUrl: string): number => urls.get(responseUrl)?.uses ?? 0,
  };
}

/** Signs as Slack does: https://docs.slack.dev/authentication/verifying-requests-from-slack. */
export function sign(
  options: Pick<WorkspaceOptions, "signingSecret" | "now">,
  path: string,
  body: string | Uint8Array,
): SignedRequest {
  const timestamp = String(Math.floor(options.now() / 1000));
  const code = createHmac("sha256", options.signingSecret).update(`v0:${timestamp}:`).update(body).digest("hex");
  return {
    path,
    body: typeof body === "string" ? body : new TextDecoder().decode(body),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${code}`,
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
