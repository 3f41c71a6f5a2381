/**
 * Makes the request of the next model call and fits it into the budget.
 *
 * Owns: what a request holds, and the ladder of bounds: bytes, then the vendor's own count, then less output, then no
 * call. Leaves to others: prices and reserves (budget.ts), words (prompt.ts).
 */
import { hasExtraCall, remainingNanoUsd } from "./budget.ts";
import { abortAt } from "./clock.ts";
import {
  keptBackNanoUsd,
  LAST_CALL_MAX_TOKENS,
  LAST_CALL_PROMPT_BYTES_MAX,
  MAX_TOKENS_FLOOR,
  planCall,
} from "./cost.ts";
import { criticRequest, LAST_CALL_TEXT, lastCallRequest, summaryRequest } from "./extra-requests.ts";
import { tellAttempts, tellFindings } from "./findings.ts";
import type { ModelRequest } from "./model.ts";
import type { StepPorts } from "./ports.ts";
import { sentMessages } from "./renewal.ts";
import type { AgentState, Attempt } from "./state.ts";

export interface PlannedCall {
  readonly request: ModelRequest;
  readonly reservedNanoUsd: number;
}

/** A vendor's count is an estimate: a twentieth and a few tokens are laid on top. */
const COUNT_MARGIN = 1.05;
const COUNT_MARGIN_TOKENS = 64;
/** What a critic is told of the calls that were made. */
const EXTRA_BYTES_MAX = 4_000;
/** Waiting for a count must not eat the step's time. */
const COUNT_TIMEOUT_MS = 10_000;

/** The next ordinary call, or null when not even the smallest fits what remains after the share kept back. */
export async function planStepCall(ports: StepPorts, state: AgentState): Promise<PlannedCall | null> {
  const { journal, model } = ports;
  const { system, tools } = journal.pinned();
  const request: ModelRequest = {
    system,
    tools,
    messages: sentMessages(state, journal.messages()),
    maxTokens: Math.min(state.maxTokens, model.info.maxOutputTokens),
    toolChoice: "auto",
    timeoutMs: state.limits.stepTimeoutMs,
  };
  const available = remainingNanoUsd(state) - keptBackNanoUsd(model.info);
  const fitInto = (promptTokensMax: number, floor: number): PlannedCall | null => {
    const plan = planCall(model.info, promptTokensMax, request.maxTokens, floor, available);
    return plan && { request: { ...request, maxTokens: plan.maxTokens }, reservedNanoUsd: plan.reservedNanoUsd };
  };
  const byBytes = model.boundInputTokens(request);
  const full = fitInto(byBytes, request.maxTokens);
  if (full !== null || available <= 0) return full;
  const now = ports.now();
  const counting: Attempt = {
    token: ports.newToken(),
    kind: "model",
    purpose: "step",
    startedAt: now,
    abortAt: Math.min(abortAt(state, "step", now), now + COUNT_TIMEOUT_MS),
    reservedNanoUsd: 0,
    reservedRows: 0,
  };
  const counted = await model.countInputTokens(request, ports.signalFor(counting));
  const byCount = counted === null ? byBytes : Math.ceil(counted * COUNT_MARGIN) + COUNT_MARGIN_TOKENS;
  return fitInto(Math.min(byBytes, byCount), MAX_TOKENS_FLOOR);
}

/**
 * The last, tool-less call: over the whole history when the money allows, over a short transcript of its own when not,
 * null when there is no money, time or model call left.
 */
export function planLastCall(ports: StepPorts, state: AgentState): PlannedCall | null {
  const { journal } = ports;
  const now = ports.now();
  if (state.usage.modelCalls >= state.limits.modelCallsMax) return null;
  if (abortAt(state, "last", now) <= now) return null;
  const { system, tools } = journal.pinned();
  const messages = [...sentMessages(state, journal.messages()), { role: "user", text: LAST_CALL_TEXT } as const];
  const common = { maxTokens: LAST_CALL_MAX_TOKENS, timeoutMs: state.limits.stepTimeoutMs };
  const whole: ModelRequest = { system, tools, messages, toolChoice: "none", ...common };
  return fitLast(ports, state, whole, LAST_CALL_MAX_TOKENS) ?? fitShort(ports, state, common);
}

/** The critic's or the summary's call, on a transcript of its own; null when it does not fit beside what is kept back. */
export function planExtraCall(ports: StepPorts, state: AgentState): PlannedCall | null {
  const { journal, model } = ports;
  if (!hasExtraCall(state) || (state.cutText !== null && state.cutSummarised)) return null;
  const tried = tellAttempts(journal.messages(), EXTRA_BYTES_MAX, false) ?? "(nothing)";
  const asked =
    state.cutText !== null
      ? summaryRequest(state.cutText)
      : criticRequest(state.question, journal.pinned().system, tried);
  const request = { ...asked, maxTokens: LAST_CALL_MAX_TOKENS, timeoutMs: state.limits.stepTimeoutMs };
  const available = remainingNanoUsd(state) - keptBackNanoUsd(model.info);
  const bound = model.boundInputTokens(request);
  const plan = planCall(model.info, bound, request.maxTokens, MAX_TOKENS_FLOOR, available);
  return plan && { request: { ...request, maxTokens: plan.maxTokens }, reservedNanoUsd: plan.reservedNanoUsd };
}

function fitShort(
  ports: StepPorts,
  state: AgentState,
  common: Pick<ModelRequest, "maxTokens" | "timeoutMs">,
): PlannedCall | null {
  let bytesMax = Math.floor(LAST_CALL_PROMPT_BYTES_MAX / 2);
  // JSON escapes make text longer: cut until the request is within the bound that was kept back for it.
  while (bytesMax > 100) {
    const findings = tellFindings(ports.journal.results(), bytesMax);
    const request: ModelRequest = { ...lastCallRequest(state.question, findings, bytesMax), ...common };
    if (ports.model.boundInputTokens(request) <= LAST_CALL_PROMPT_BYTES_MAX) {
      return fitLast(ports, state, request, MAX_TOKENS_FLOOR);
    }
    bytesMax = Math.floor(bytesMax / 2);
  }
  return null;
}

function fitLast(ports: StepPorts, state: AgentState, request: ModelRequest, floor: number): PlannedCall | null {
  const bound = ports.model.boundInputTokens(request);
  const plan = planCall(ports.model.info, bound, request.maxTokens, floor, remainingNanoUsd(state));
  return plan && { request: { ...request, maxTokens: plan.maxTokens }, reservedNanoUsd: plan.reservedNanoUsd };
}
