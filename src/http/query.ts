/**
 * Query parameters: each at most once, checked by a schema, refused with the parameter's name. Those that a route does not
 * know are refused too: who pages by a parameter that is ignored reads page one for ever.
 */
import type { MiddlewareHandler } from "hono";
import type { z } from "zod";
import { tellIssue } from "../lib/issue-text.ts";
import { toSentence } from "../lib/sentence.ts";
import { invalidRequest } from "./body.ts";
import type { HttpEnv } from "./context.ts";

interface QueryInput<In, Out> {
  in: { query: In };
  out: { query: Out };
}

/** Checks the parameters; the handler gets them by `c.req.valid("query")`. A strict schema refuses those it does not name. */
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
        parsed.error.issues.map((issue) =>
          issue.code === "unrecognized_keys"
            ? { detail: "There is no such parameter.", parameter: issue.keys.join(", ") }
            : {
                detail: toSentence(issue.message),
                parameter: issue.path.map(String).join("."),
              },
        ),
      );
    }
    c.req.addValidatedData("query", parsed.data);
    return next();
  };
}
