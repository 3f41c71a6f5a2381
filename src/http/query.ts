/**
 * Query parameters: each at most once, checked by a schema, refused with the parameter's name.
 */
import type { MiddlewareHandler } from "hono";
import type { z } from "zod";
import { tellIssue } from "../lib/issue-text.ts";
import { invalidRequest } from "./body.ts";
import type { HttpEnv } from "./context.ts";

interface QueryInput<In, Out> {
  in: { query: In };
  out: { query: Out };
}

/** Checks the parameters that `schema` names; the handler gets them by `c.req.valid("query")`. Others are ignored. */
export function queryParameters<In extends Record<string, string | undefined>, Out extends object>(
  schema: z.ZodType<Out, In>,
): MiddlewareHandler<HttpEnv, string, QueryInput<In, Out>> {
  return async function queryParameters(c, next) {
    const all = c.req.queries();
    const repeated = Object.keys(all).find((name) => (all[name]?.length ?? 0) > 1);
    if (repeated !== undefined) {
      throw invalidRequest([{ detail: "This parameter stands more than once.", parameter: repeated }]);
    }
    const parsed = schema.safeParse(c.req.query(), { error: tellIssue });
    if (!parsed.success) {
      throw invalidRequest(
        parsed.error.issues.map((issue) => ({
          detail: /[.!?]$/.test(issue.message) ? issue.message : `${issue.message}.`,
          parameter: issue.path.map(String).join("."),
        })),
      );
    }
    c.req.addValidatedData("query", parsed.data);
    return next();
  };
}
