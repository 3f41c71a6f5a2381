/**
 * Which part of the history a request holds, and when the conversation goes on in a fresh transcript.
 *
 * Owns: renewal at a share of the model's window, and provider repair: a request that is refused for good is changed by
 * leaving out the last pair, then by a fresh transcript, then by one without notes. The history itself is never edited.
 * Pure: no I/O, no clock.
 */
import { byteLength } from "../lib/bytes.ts";
import { tellAttempts, tellFindings } from "./findings.ts";
import type { Message, ModelFailure } from "./model.ts";
import type { StepPorts } from "./ports.ts";
import { renewalText } from "./prompt.ts";
import type { AgentState } from "./state.ts";

/** Tiers of provider repair; after the last the run ends, and can be continued later. */
export const REPAIR_TIERS_MAX = 3;
const FINDINGS_BYTES_MAX = 12_000;
const DEAD_ENDS_BYTES_MAX = 3_000;
/** A token is at least this many bytes of ordinary text: for what came after the last count. */
const BYTES_PER_TOKEN = 3;

/** The messages of the present transcript: from its start, without what repair left out. */
export function sentMessages(state: AgentState, messages: readonly Message[]): readonly Message[] {
  if (state.transcriptStart === 0 && state.omitted.length === 0) return messages;
  return messages.filter((_, index) => isSent(state, index));
}

function isSent(state: AgentState, index: number): boolean {
  return index >= state.transcriptStart && !state.omitted.some(({ from, to }) => index >= from && index < to);
}

/** The opening of a fresh transcript if one is due, else null. */
export function planRenewal(
  ports: StepPorts,
  state: AgentState,
): { readonly text: string; readonly reason: "window" | "repair" } | null {
  const messages = ports.journal.messages();
  const reason = state.renewalDue ?? (isWindowFull(ports, state, messages) ? "window" : null);
  if (reason === null) return null;
  const notes = reason === "repair" && state.repairTier >= REPAIR_TIERS_MAX ? null : tellNotes(state, reason);
  const text = renewalText({
    question: state.question,
    limits: state.limits,
    notes,
    findings: tellFindings(ports.journal.results(), FINDINGS_BYTES_MAX),
    deadEnds: tellAttempts(messages, DEAD_ENDS_BYTES_MAX, true),
  });
  return { text, reason };
}

function isWindowFull(ports: StepPorts, state: AgentState, messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  // A transcript that has just been opened cannot be made shorter.
  if (last === undefined || state.windowTokens === 0) return false;
  const since = Math.ceil(byteLength(JSON.stringify(last)) / BYTES_PER_TOKEN);
  return state.windowTokens + since > state.loop.contextShare * ports.model.info.contextWindow;
}

/** Notes as they are kept, or under repair as plain text: code fences are taken out. */
function tellNotes(state: AgentState, reason: "window" | "repair"): string | null {
  const { notes, plan } = state.memo;
  if (notes.length + plan.length === 0) return null;
  const text = [...notes.map((note) => `- ${note}`), ...plan.map((item, index) => `Plan ${index + 1}. ${item}`)].join(
    "\n",
  );
  return reason === "repair" ? text.replace(/```[a-z]*\n?/g, "") : text;
}

/**
 * How to change a request that is refused for good, or null to give up. Only for 400 and 500: other failures are not
 * about the request. Without a reply in the transcript there is nothing to change.
 */
export function planRepair(
  failure: ModelFailure,
  state: AgentState,
  messages: readonly Message[],
): { readonly kind: "omit"; readonly from: number; readonly to: number } | { readonly kind: "renew" } | null {
  if (failure.status !== 400 && failure.status !== 500) return null;
  if (state.repairTier >= REPAIR_TIERS_MAX) return null;
  const from = messages.findLastIndex((message, index) => message.role === "assistant" && isSent(state, index));
  if (state.repairTier > 0) return { kind: "renew" };
  return from < 0 ? null : { kind: "omit", from, to: messages.length };
}
