/**
 * All rows of a result as CSV, for whoever has the address that a message in Slack gives.
 *
 * People in Slack have no API key, so the address itself is the permission: signed with the app's signing secret, for one
 * result of one run, for a week (lib/hmac.ts). Search engines are told to keep off.
 */
import { Hono } from "hono/tiny";
import { isSignedPath } from "../lib/hmac.ts";
import { type HttpEnv, runObject } from "./context.ts";
import { problem } from "./problems.ts";
import { csvLines } from "./records.ts";
import { textStream } from "./text-stream.ts";

export function createSlackResultRoutes() {
  return new Hono<HttpEnv>().get("/results/:id/:ref", async (c) => {
    const { config, ports } = c.var;
    const url = new URL(c.req.url);
    const secrets = config.slack?.signingSecrets ?? [];
    if (!(await isSignedPath(url.pathname, url.searchParams, secrets, ports.now()))) {
      throw problem("not_found", "This link is not valid, or not any more. Ask the question again for a new one.");
    }
    const object = runObject(c.env, c.req.param("id"));
    const page = await object.result(c.req.param("ref"));
    if (page === null) throw problem("result_not_found", "The rows are not kept any more. Ask the question again.");
    return c.body(textStream(csvLines(object, page)), 200, {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="querent-${page.ref}.csv"`,
      "x-robots-tag": "noindex, nofollow",
    });
  });
}
