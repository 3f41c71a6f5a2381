/**
 * The contract of the API, OpenAPI 3.1, made from the schemas that validate and the table of routes.
 *
 * Owns: the document's frame and its examples. Leaves to others: the routes (api-routes.ts), the shapes (schemas.ts and
 * the route files). It depends on no setting, so it is no code of the worker: the build writes it once as a file beside
 * it, `/openapi.json` (cli/build-page.ts).
 */
import * as z from "zod";
import { publicRunSchema } from "../agent/view.ts";
import { againSchema } from "./again.ts";
import { type ApiRoute, HEADERS, type HeaderName } from "./api-route.ts";
import { API_ROUTES, problemsOf } from "./api-routes.ts";
import { askSchema } from "./ask.ts";
import { callerSchema } from "./caller.ts";
import { continueSchema, forkSchema } from "./carry-on.ts";
import { estimateRequestSchema, estimateSchema } from "./estimate.ts";
import { EXAMPLES } from "./openapi-examples.ts";
import { PROBLEMS, type ProblemCode, problemHeaders, typeOf } from "./problems.ts";
import { noFieldsSchema } from "./run-actions.ts";
import { databaseSchema } from "./schema.ts";
import { acceptedSchema, healthSchema, problemSchema, resultPageSchema, runListSchema } from "./schemas.ts";
import { slackCommandSchema, slackInteractionSchema, slackReplySchema } from "./slack-routes.ts";
import { usageSchema } from "./usage.ts";

type Json = { readonly [member: string]: unknown };

/** Raised when a route or a field is added. */
export const API_VERSION = "1.2.0";

const COMPONENTS: readonly (readonly [name: string, schema: z.ZodType, io: "input" | "output"])[] = [
  ["Ask", askSchema, "input"],
  ["NoFields", noFieldsSchema, "input"],
  ["Continue", continueSchema, "input"],
  ["Fork", forkSchema, "input"],
  ["Again", againSchema, "input"],
  ["Run", publicRunSchema, "output"],
  ["RunList", runListSchema, "output"],
  ["ResultPage", resultPageSchema, "output"],
  ["Schema", databaseSchema, "output"],
  ["EstimateRequest", estimateRequestSchema, "input"],
  ["Estimate", estimateSchema, "output"],
  ["Usage", usageSchema, "output"],
  ["Caller", callerSchema, "output"],
  ["Accepted", acceptedSchema, "output"],
  ["SlackCommand", slackCommandSchema, "input"],
  ["SlackInteraction", slackInteractionSchema, "input"],
  ["SlackReply", slackReplySchema, "output"],
  ["Health", healthSchema, "output"],
  ["Problem", problemSchema, "output"],
];

export function createDocument(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of API_ROUTES) {
    paths[route.path] = { ...paths[route.path], [route.method]: toOperation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Querent",
      version: API_VERSION,
      summary: "Ask a Cloudflare D1 database questions in plain words.",
      description:
        "Every error is a problem document (RFC 9457) with a stable `code`. Runs are bounded in steps, time and dollars, " +
        "and the database is only ever read.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: [
      { name: "runs", description: "One question's execution, from asking to its rows." },
      { name: "database", description: "What there is to ask about." },
      { name: "webhooks", description: "Questions by signed webhook." },
      { name: "slack", description: "What Slack asks, and nobody else: forms, signed over their raw bytes." },
      { name: "server", description: "The server itself." },
    ],
    paths,
    components: {
      schemas: Object.fromEntries(COMPONENTS.map(([name, schema, io]) => [name, toJsonSchema(schema, io)])),
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key, as `npm run key` makes it." },
        access: {
          type: "apiKey",
          in: "header",
          name: "Cf-Access-Jwt-Assertion",
          description:
            "Set by Cloudflare Access where the server is behind it (`QUERENT_ACCESS`), for people who use its page; a key wins. What is not a GET must come from the page.",
        },
      },
    },
  };
}

function toOperation(route: ApiRoute): Json {
  const parameters = [...pathParameters(route.path), ...queryParameters(route.query), ...headerParameters(route.takes)];
  return {
    operationId: route.id,
    summary: route.summary,
    ...(route.description && { description: route.description }),
    tags: [route.tag],
    security: route.auth === "key" ? [{ key: [] }, { access: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: route.body.required,
        content: {
          [route.body.type ?? "application/json"]: {
            schema: toReference(route.body.schema),
            ...exampleOf(route.body.schema),
          },
        },
      },
    }),
    responses: { ...toAnswers(route), ...toProblems(problemsOf(route)) },
  };
}

function toAnswers(route: ApiRoute): Json {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, { description, schema, texts, headers }]) => {
      const json = schema && { "application/json": { schema: toReference(schema), ...exampleOf(schema) } };
      const others = (texts ?? []).map((type) => [type, { schema: { type: "string" } }]);
      const content = { ...json, ...Object.fromEntries(others) };
      return [
        status,
        {
          description,
          ...(Object.keys(content).length > 0 && { content }),
          ...(headers && { headers: toHeaders(headers) }),
        },
      ];
    }),
  );
}

/** One response a status, with an example for each code that shares it. */
function toProblems(codes: readonly ProblemCode[]): Json {
  const responses: Record<string, Json> = {};
  for (const status of new Set(codes.map((code) => PROBLEMS[code].status))) {
    const shared = codes.filter((code) => PROBLEMS[code].status === status);
    const headers = [...new Set(shared.flatMap(problemHeaders))];
    responses[status] = {
      description: shared.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(" "),
      content: {
        "application/problem+json": {
          schema: { $ref: "#/components/schemas/Problem" },
          examples: Object.fromEntries(shared.map((code) => [code, { value: toProblemExample(code) }])),
        },
      },
      ...(headers.length > 0 && { headers: toHeaders(headers) }),
    };
  }
  return responses;
}

function toProblemExample(code: ProblemCode): Json {
  const { status, title } = PROBLEMS[code];
  return { type: typeOf(code), title, status, code, detail: `${title}.` };
}

function toHeaders(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { description: HEADERS[name], schema: { type: "string" } }]));
}

function pathParameters(path: string): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(query: z.ZodObject | undefined): readonly Json[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    const { description, ...rest } = toJsonSchema(schema, "input");
    const required = !(schema instanceof z.ZodOptional);
    return { name, in: "query", required, ...(description !== undefined && { description }), schema: rest };
  });
}

function headerParameters(names: readonly HeaderName[] | undefined): readonly Json[] {
  return (names ?? []).map((name) => ({
    name,
    in: "header",
    required: false,
    description: HEADERS[name],
    schema: { type: "string" },
  }));
}

function toReference(schema: z.ZodType): Json {
  const name = COMPONENTS.find(([, known]) => known === schema)?.[0];
  return name === undefined ? toJsonSchema(schema, "output") : { $ref: `#/components/schemas/${name}` };
}

function exampleOf(schema: z.ZodType): Json {
  const name = COMPONENTS.find(([, known]) => known === schema)?.[0];
  const example = name === undefined ? undefined : EXAMPLES[name];
  return example === undefined ? {} : { example };
}

function toJsonSchema(schema: z.core.$ZodType, io: "input" | "output"): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
