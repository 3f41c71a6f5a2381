/**
 * Every route of the API as its readers see it: what it takes, what it answers, with which problems. The OpenAPI document
 * is made from this table, and a test walks it against the app in both directions, so that neither can drift.
 * Leaves to others: what a route is (api-route.ts), Slack's (slack-routes.ts), the document's frame (openapi.ts), the handlers.
 */
import * as z from "zod";
import { publicRunSchema } from "../agent/view.ts";
import { againSchema } from "./again.ts";
import type { ApiRoute, HeaderName, RouteAnswer } from "./api-route.ts";
import { askSchema } from "./ask.ts";
import { callerSchema } from "./caller.ts";
import { continueSchema, forkSchema } from "./carry-on.ts";
import { chartQuerySchema } from "./chart.ts";
import { estimateRequestSchema, estimateSchema } from "./estimate.ts";
import { eventsQuerySchema } from "./events.ts";
import type { ProblemCode } from "./problems.ts";
import { resultQuerySchema } from "./records.ts";
import { approveSchema, noFieldsSchema, replySchema } from "./run-actions.ts";
import { listQuerySchema } from "./runs.ts";
import { databaseSchema } from "./schema.ts";
import { acceptedSchema, healthSchema, resultPageSchema, runListSchema } from "./schemas.ts";
import { SLACK_ROUTES } from "./slack-routes.ts";
import { usageQuerySchema, usageSchema } from "./usage.ts";

const RUN_HEADERS: readonly HeaderName[] = ["Querent-Outcome", "Querent-Grounded"];
const ASK_HEADERS: readonly HeaderName[] = [
  "Location",
  "Preference-Applied",
  "Idempotency-Expires",
  "RateLimit",
  "RateLimit-Policy",
  ...RUN_HEADERS,
];
const run = (description: string, headers = RUN_HEADERS): RouteAnswer => ({
  description,
  schema: publicRunSchema,
  headers,
});

/** Any route that asks an object may answer these. */
const OBJECT_PROBLEMS: readonly ProblemCode[] = ["internal", "unavailable", "not_configured"];
/** Any route that takes a key. */
const KEY_PROBLEMS: readonly ProblemCode[] = [
  "unauthorized",
  "access_refused",
  "cross_site",
  "forbidden_host",
  ...OBJECT_PROBLEMS,
];
const BODY_PROBLEMS: readonly ProblemCode[] = [
  "invalid_json",
  "invalid_request",
  "body_incomplete",
  "body_timeout",
  "body_too_large",
  "unsupported_media_type",
];
const QUOTA_PROBLEMS: readonly ProblemCode[] = ["rate_limited", "too_many_runs", "daily_budget_spent"];
/** Of every request that opens a run. */
const OPEN_PROBLEMS: readonly ProblemCode[] = [
  "limit_above_maximum",
  "idempotency_in_flight",
  "idempotency_key_reused",
  ...QUOTA_PROBLEMS,
];
const CARRY_ON_PROBLEMS: readonly ProblemCode[] = [
  ...BODY_PROBLEMS,
  "run_not_found",
  "run_not_finished",
  ...OPEN_PROBLEMS,
];
const OPENED = {
  200: run("The run is finished.", ASK_HEADERS),
  202: run("The run goes on; look at its address, or read its events.", ASK_HEADERS),
};
const NO_FIELDS = { schema: noFieldsSchema, required: false };
const runRoute = { tag: "runs", auth: "key" } as const;

/** Every problem code that a route may answer with. */
export function problemsOf(route: ApiRoute): readonly ProblemCode[] {
  return route.auth === "key" ? [...route.problems, ...KEY_PROBLEMS] : route.problems;
}

export const API_ROUTES: readonly ApiRoute[] = [
  {
    ...runRoute,
    method: "post",
    path: "/v1/runs",
    id: "askQuestion",
    summary: "Ask a question",
    takes: ["Prefer", "Idempotency-Key"],
    body: { schema: askSchema, required: true },
    answers: OPENED,
    problems: [...BODY_PROBLEMS, "model_not_available", "unknown_tool", ...OPEN_PROBLEMS],
  },
  {
    ...runRoute,
    method: "get",
    path: "/v1/runs",
    id: "listRuns",
    summary: "List your runs, newest first",
    query: listQuerySchema,
    answers: { 200: { description: "One page.", schema: runListSchema } },
    problems: ["invalid_request"],
  },
  {
    ...runRoute,
    method: "get",
    path: "/v1/runs/{id}",
    id: "getRun",
    summary: "Look at a run",
    takes: ["If-None-Match"],
    answers: {
      200: run("The run as it is now.", ["ETag", ...RUN_HEADERS]),
      304: { description: "Nothing has changed.", headers: ["ETag"] },
    },
    problems: ["run_not_found"],
  },
  {
    ...runRoute,
    method: "post",
    path: "/v1/runs/{id}/steps",
    id: "stepRun",
    summary: "Run exactly one step of a manual run",
    body: NO_FIELDS,
    answers: { 200: run("The run after the step.") },
    problems: [...BODY_PROBLEMS, "run_not_found", "run_finished", "run_busy", "run_waiting", "run_not_manual"],
  },
  {
    ...runRoute,
    method: "post",
    path: "/v1/runs/{id}/cancel",
    id: "cancelRun",
    summary: "Stop a run, and the model call under way; twice is the same as once",
    body: NO_FIELDS,
    answers: { 200: run("The run, cancelled.") },
    problems: [...BODY_PROBLEMS, "run_not_found", "run_finished"],
  },
  {
    ...runRoute,
    method: "post",
    path: "/v1/runs/{id}/continue",
    id: "continueRun",
    summary: "Carry on a run that a limit stopped, in a new run under raised limits, with its spend",
    takes: ["Prefer", "Idempotency-Key"],
    body: { schema: continueSchema, required: false },
    answers: OPENED,
    problems: [...CARRY_ON_PROBLEMS, "run_not_continuable", "limit_not_raised"],
  },
  {
    ...runRoute,
    method: "post",
    path: "/v1/runs/{id}/fork",
    id: "forkRun",
    summary: "Go on from any step of a finished run, in a new run, with its spend",
    takes: ["Prefer", "Idempotency-Key"],
    body: { schema: forkSchema, required: false },
    answers: OPENED,
    problems: [...CARRY_ON_PROBLEMS, "step_not_found", "limit_not_raised", "run_not_continuable"],
  },
  {
    ...runRoute,
    method: "post",
    path: "/v1/runs/{id}/again",
    id: "askAgain",
    summary: "Run the queries of an answered run again, in a new run that asks no model",
    takes: ["Prefer", "Idempotency-Key"],
    body: { schema: againSchema, required: false },
    answers: OPENED,
    problems: [...CARRY_ON_PROBLEMS, "run_not_repeatable"],
  },
  {
    ...runRoute,
    method: "post",
    path: "/v1/runs/{id}/resend",
    id: "resendRun",
    summary: "Send the callback of a finished run once more",
    body: NO_FIELDS,
    answers: { 202: run("It is due at once; `deliveries` of the run says how it went.") },
    problems: [...BODY_PROBLEMS, "run_not_found", "nothing_to_send"],
  },
  {
    ...runRoute,
    method: "post",
    path: "/v1/runs/{id}/approve",
    id: "approveRun",
    summary: "Decide on the queries that a run waits for; twice is the same as once",
    description:
      "`waiting.approval` of the run shows them: SQL, the engine's plan, tables, rows and dollars by the plan. The id is " +
      "bound to exactly these queries, and a yes lets them run once. Waiting takes none of the run's time; without a " +
      "decision by `waiting.until` it ends as `expired`.",
    body: { schema: approveSchema, required: true },
    answers: { 200: run("The run, which goes on.") },
    problems: [...BODY_PROBLEMS, "run_not_found", "run_finished", "run_not_waiting"],
  },
  {
    ...runRoute,
    method: "post",
    path: "/v1/runs/{id}/reply",
    id: "replyRun",
    body: { schema: replySchema, required: true },
    summary: "Answer what a run asks you; twice is the same as once",
    description:
      "`waiting.inquiry` of the run holds the question and the options to choose from; any words are an answer. Waiting " +
      "takes none of the run's time; without an answer by `waiting.until` it ends as `expired`.",
    answers: { 200: run("The run, which goes on.") },
    problems: [...BODY_PROBLEMS, "run_not_found", "run_finished", "run_not_waiting"],
  },
  {
    ...runRoute,
    method: "get",
    path: "/v1/runs/{id}/events",
    id: "readEvents",
    summary: "Read what happens in a run, as server-sent events",
    query: eventsQuerySchema,
    takes: ["Last-Event-ID"],
    answers: {
      200: {
        description: "Numbered events; the stream ends with the run. Lines that start with a colon keep it alive.",
        texts: ["text/event-stream"],
      },
      204: { description: "The run is over and the client has read its last event." },
    },
    problems: ["invalid_request", "invalid_event_id", "run_not_found"],
  },
  {
    ...runRoute,
    method: "get",
    path: "/v1/runs/{id}/transcript",
    id: "readTranscript",
    summary: "Read the whole journal of a run, one JSON value a line",
    answers: { 200: { description: "Run, prompt, messages, events, results.", texts: ["application/jsonl"] } },
    problems: ["run_not_found"],
  },
  {
    ...runRoute,
    method: "get",
    path: "/v1/runs/{id}/results/{ref}",
    id: "readResult",
    summary: "Read stored rows, in pages of JSON or whole as CSV",
    query: resultQuerySchema,
    answers: {
      200: {
        description:
          "One page as JSON; or every row from `from` on as CSV, where texts that look like formulas start with '.",
        schema: resultPageSchema,
        texts: ["text/csv"],
        headers: ["Querent-Truncated"],
      },
    },
    problems: ["invalid_request", "run_not_found", "result_not_found"],
  },
  {
    ...runRoute,
    method: "get",
    path: "/v1/runs/{id}/chart.svg",
    id: "drawChart",
    summary: "A result as a picture",
    query: chartQuerySchema,
    answers: { 200: { description: "The picture, with title and description in it.", texts: ["image/svg+xml"] } },
    problems: ["invalid_request", "run_not_found", "result_not_found"],
  },
  {
    method: "get",
    path: "/v1/schema",
    id: "readSchema",
    summary: "The tables, columns, keys and sample values that you may read",
    tag: "database",
    auth: "key",
    answers: { 200: { description: "As the model is shown them.", schema: databaseSchema } },
    problems: [],
  },
  {
    ...runRoute,
    method: "post",
    path: "/v1/estimate",
    id: "estimateQuestion",
    summary: "What a question would cost, at most and most likely; asks no model",
    body: { schema: estimateRequestSchema, required: true },
    answers: { 200: { description: "Dollars and tokens.", schema: estimateSchema } },
    problems: [...BODY_PROBLEMS, "model_not_available", "limit_above_maximum"],
  },
  {
    ...runRoute,
    method: "get",
    path: "/v1/usage",
    id: "readUsage",
    summary: "What you have asked and spent, day by day",
    query: usageQuerySchema,
    answers: { 200: { description: "The last days with any run, newest first.", schema: usageSchema } },
    problems: ["invalid_request"],
  },
  {
    ...runRoute,
    method: "get",
    path: "/v1/caller",
    id: "readCaller",
    summary: "What you may use: models, limits and their maxima, scopes, what is left of your day",
    answers: { 200: { description: "As your key stands now.", schema: callerSchema } },
    problems: [],
  },
  {
    method: "post",
    path: "/v1/webhooks/{source}",
    id: "receiveWebhook",
    summary: "Ask by a signed webhook",
    description:
      "The links of the answer are for a key of the source's `caller`. A source that names none has a caller of its own, whose runs no key can read: its answers go to its `callback_url`.",
    tag: "webhooks",
    auth: "signature",
    takes: ["webhook-id", "webhook-timestamp", "webhook-signature", "X-Hub-Signature-256", "X-GitHub-Delivery"],
    body: { schema: z.looseObject({}), required: true },
    answers: {
      202: {
        description: "The run that the delivery made, now or before.",
        schema: acceptedSchema,
        headers: ["Location"],
      },
      204: { description: "GitHub's ping was heard; or the run that the delivery made is not kept any more." },
    },
    problems: [
      "source_not_found",
      "invalid_signature",
      ...BODY_PROBLEMS,
      "question_not_found",
      ...QUOTA_PROBLEMS,
      ...OBJECT_PROBLEMS,
    ],
  },
  ...SLACK_ROUTES,
  {
    method: "get",
    path: "/healthz",
    id: "checkHealth",
    summary: "The worker runs and its settings are right",
    tag: "server",
    auth: "none",
    answers: { 200: { description: "It does.", schema: healthSchema } },
    problems: ["not_configured"],
  },
  {
    method: "get",
    path: "/openapi.json",
    id: "readContract",
    isFile: true,
    summary: "This document",
    tag: "server",
    auth: "none",
    answers: {
      200: { description: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.string() }), headers: ["ETag"] },
    },
    problems: [],
  },
];
