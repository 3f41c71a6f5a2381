import { describe, expect, test } from "vitest";
import { publicRunSchema } from "../../src/agent/view.ts";
import { againSchema } from "../../src/http/again.ts";
import { askSchema } from "../../src/http/ask.ts";
import { callerSchema } from "../../src/http/caller.ts";
import { continueSchema, forkSchema } from "../../src/http/carry-on.ts";
import { estimateRequestSchema, estimateSchema } from "../../src/http/estimate.ts";
import { EXAMPLES } from "../../src/http/openapi-examples.ts";
import { noFieldsSchema } from "../../src/http/run-actions.ts";
import { databaseSchema } from "../../src/http/schema.ts";
import {
  acceptedSchema,
  healthSchema,
  problemSchema,
  resultPageSchema,
  runListSchema,
} from "../../src/http/schemas.ts";
import { slackCommandSchema, slackInteractionSchema, slackReplySchema } from "../../src/http/slack-routes.ts";
import { usageSchema } from "../../src/http/usage.ts";

const SCHEMAS: Readonly<Record<string, { safeParse(value: unknown): { success: boolean } }>> = {
  Ask: askSchema,
  NoFields: noFieldsSchema,
  Continue: continueSchema,
  Fork: forkSchema,
  Again: againSchema,
  Run: publicRunSchema,
  RunList: runListSchema,
  ResultPage: resultPageSchema,
  Schema: databaseSchema,
  EstimateRequest: estimateRequestSchema,
  Estimate: estimateSchema,
  Usage: usageSchema,
  Caller: callerSchema,
  Accepted: acceptedSchema,
  SlackCommand: slackCommandSchema,
  SlackInteraction: slackInteractionSchema,
  SlackReply: slackReplySchema,
  Health: healthSchema,
  Problem: problemSchema,
};

describe("examples of the contract", () => {
  test.each(Object.keys(EXAMPLES))("that of %s fits its schema", (name) => {
    expect(SCHEMAS[name]?.safeParse(EXAMPLES[name])).toMatchObject({ success: true });
  });
});
