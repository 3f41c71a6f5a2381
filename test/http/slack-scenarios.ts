/** What Slack can send and meet, for the walk of the contract (api-routes.test.ts). */
import type { ApiRoute } from "../../src/http/api-route.ts";
import { createRunId } from "../../src/http/run-id.ts";
import { signPath } from "../../src/lib/hmac.ts";
import { NOW } from "../fakes/fake-run-object.ts";
import { createWorkspace, sign } from "../fakes/slack-workspace.ts";
import type { Harness } from "./harness.ts";
import type { Scenario } from "./scenarios.ts";

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const SETTINGS = { SLACK_SIGNING_SECRET: SECRET, SLACK_CALLER: '{"teams":["T0001"]}' };
const RUN_ID = createRunId("slack:app", new Uint8Array(16));

const isSlack = (route: ApiRoute) => route.tag === "slack";
const isForm = (route: ApiRoute) => isSlack(route) && route.body !== undefined;
const only = (id: string) => (route: ApiRoute) => route.id === id;

function formOf(route: ApiRoute): string {
  if (route.id === "receiveSlackCommand") {
    const workspace = createWorkspace({ signingSecret: SECRET, origin: "https://hooks.slack.com", now: () => NOW });
    return workspace.command("How many?").body;
  }
  const payload = {
    type: "block_actions",
    user: { id: "U0001" },
    team: { id: "T0001" },
    channel: { id: "C0001" },
    response_url: "https://hooks.slack.com/actions/1",
    actions: [{ action_id: "querent_stop", action_ts: "1.1", value: RUN_ID }],
  };
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}

/** Sends what Slack would; `form` and `headers` are laid over that. */
async function send(harness: Harness, route: ApiRoute, form?: string | null, headers: Record<string, string> = {}) {
  const path = route.path.replace("{id}", RUN_ID).replace("{ref}", "r1");
  if (route.method === "get") {
    const signed = route.id === "readSlackRows" ? await signPath(path, SECRET, NOW + 60_000) : `${path}?ssl_check=1`;
    return harness.request(signed);
  }
  const body = form ?? formOf(route);
  const signed = sign({ signingSecret: SECRET, now: () => NOW }, path, body);
  return harness.request(path, { method: "POST", body, headers: { ...signed.headers, ...headers } });
}

function putRows(harness: Harness): void {
  harness.prepare.push((run) => {
    run.result = async () => ({
      ref: "r1",
      sha256: "0",
      sql: "SELECT 1",
      columns: ["n"],
      rows: [[1]],
      fromRow: 1,
      storedRows: 1,
      totalRows: 1,
      truncated: false,
      nextRow: null,
    });
  });
}

const fails = (error: Error): Scenario["run"] =>
  async function run(harness, route) {
    const caller = harness.bindings.CALLERS.get(harness.bindings.CALLERS.idFromName("slack:app"));
    caller.take = () => Promise.reject(error);
    harness.prepare.push((object) => {
      object.outgoing = () => Promise.reject(error);
      object.result = () => Promise.reject(error);
    });
    return send(harness, route);
  };

const scenario = (
  name: string,
  status: number,
  appliesTo: Scenario["appliesTo"],
  run: Scenario["run"],
  settings: object = SETTINGS,
): Scenario => ({ name: `Slack: ${name}`, status, appliesTo, run, settings: { ...settings } });

const touchesObjects = (route: ApiRoute) => isSlack(route) && route.id !== "checkSlackCommands";

export const SLACK_SCENARIOS: readonly Scenario[] = [
  scenario("all is well", 200, isSlack, (harness, route) => {
    putRows(harness);
    return send(harness, route);
  }),
  scenario("help", 200, only("receiveSlackCommand"), (harness, route) =>
    send(harness, route, formOf(route).replace(/text=[^&]*/, "text=help")),
  ),
  scenario("a check of the certificate", 200, isForm, (harness, route) =>
    send(harness, route, "ssl_check=1", { "x-slack-signature": "" }),
  ),
  scenario("no check", 405, only("checkSlackCommands"), (harness, route) => harness.request(route.path)),
  scenario("not set up", 404, isSlack, send, { QUERENT_LOCAL: "1" }),
  scenario("wrong settings", 503, isSlack, send, { QUERENT_LIMIT: "{}" }),
  scenario("something else", 400, isForm, (harness, route) => send(harness, route, "a=b")),
  scenario("a wrong signature", 401, isForm, (harness, route) =>
    send(harness, route, null, { "x-slack-signature": `v0=${"0".repeat(64)}` }),
  ),
  scenario("a large body", 413, isForm, (harness, route) => send(harness, route, "x".repeat(300_000))),
  scenario("an encoded body", 415, isForm, (harness, route) =>
    send(harness, route, null, { "content-encoding": "gzip" }),
  ),
  scenario("an unsigned link", 404, only("readSlackRows"), (harness) =>
    harness.request(`/slack/results/${RUN_ID}/r1?expires=1&signature=x`),
  ),
  scenario("rows that are gone", 404, only("readSlackRows"), send),
  scenario("a bug", 500, touchesObjects, fails(new TypeError("bug"))),
  scenario("an overloaded object", 503, touchesObjects, fails(Object.assign(new Error("x"), { overloaded: true }))),
];
