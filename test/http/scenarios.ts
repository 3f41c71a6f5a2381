/** What a client can do and meet, for the walk of the contract (api-routes.test.ts). */
import { Webhook } from "standardwebhooks";
import type { ApiRoute } from "../../src/http/api-route.ts";
import { NOW } from "../fakes/fake-run-object.ts";
import { type Harness, putDatabase } from "./harness.ts";

export interface Scenario {
  readonly name: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The one status that every route answers here. */
  readonly status?: number;
  appliesTo(route: ApiRoute): boolean;
  /** Null: this route has nothing to answer here. */
  run(harness: Harness, route: ApiRoute): Promise<Response | null>;
}

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const HOOK = `whsec_${btoa("x".repeat(32))}`;
const SETTINGS = {
  QUERENT_LOCAL: "1",
  CALLBACK_ORIGINS: "https://hooks.example.com",
  WEBHOOK_SIGNING_SECRET: HOOK,
  WEBHOOK_SOURCES: JSON.stringify({
    form: { scheme: "standard", secrets: [SECRET], question: "/question" },
    repo: { scheme: "github", secrets: ["sixteen characters"], question: "/question" },
    poor: { scheme: "standard", secrets: [SECRET], question: "/question", models: ["offline"] },
  }),
};

/** Whose keys cannot be had; no token of these scenarios is good enough to ask for them. */
const ACCESS = {
  QUERENT_CALLERS: '{"team":{"keys":[]}}',
  QUERENT_ACCESS: { team: "http://127.0.0.1:1", audience: "a".repeat(64), caller: "team" },
};
const OWN_PAGE = { origin: "http://localhost", "sec-fetch-site": "same-origin" };

const isKeyed = (route: ApiRoute) => route.auth === "key";
const isWebhook = (route: ApiRoute) => route.id === "receiveWebhook";
/** Slack's forms have scenarios of their own (slack-scenarios.ts). */
const isSlack = (route: ApiRoute) => route.tag === "slack";
const only = (id: string) => (route: ApiRoute) => route.id === id;
const opens = (route: ApiRoute) => ["askQuestion", "continueRun", "forkRun", "askAgain"].includes(route.id);
const asks = (route: ApiRoute) => ["askQuestion", "estimateQuestion"].includes(route.id);
const ofRun = (route: ApiRoute) => !isSlack(route) && route.path.includes("{id}");
const takesJson = (route: ApiRoute) => !isSlack(route) && route.body !== undefined;

interface Call {
  readonly id?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly query?: string;
  readonly host?: string;
  readonly source?: string;
}

/** Asks `route` with everything that it needs, so that only what a scenario changes can go wrong. */
async function call(harness: Harness, route: ApiRoute, { id, body, headers, query, host, source = "form" }: Call = {}) {
  const path = route.path
    .replace("{id}", id ?? "x")
    .replace("{ref}", "r1")
    .replace("{source}", source);
  const text = body === undefined ? defaultBody(route) : typeof body === "string" ? body : JSON.stringify(body);
  const init: RequestInit = {
    method: route.method.toUpperCase(),
    headers: {
      ...(text !== null && { "content-type": "application/json" }),
      ...(isWebhook(route) && signed(text ?? "", "msg_1")),
      ...headers,
    },
    ...(text !== null && { body: text }),
  };
  return harness.request(`http://${host ?? "localhost"}${path}${query ?? ""}`, init);
}

function defaultBody(route: ApiRoute): string | null {
  if (route.id === "askQuestion" || route.id === "estimateQuestion" || isWebhook(route))
    return '{"question":"How many?"}';
  if (route.id === "replyRun") return '{"inquiry":"q1","reply":"Revenue"}';
  if (route.id === "approveRun") return '{"approval":"a1","decision":"approve"}';
  return takesJson(route) ? "{}" : null;
}

function signed(body: string, id: string): Record<string, string> {
  const timestamp = String(Math.floor(NOW / 1000));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": new Webhook(SECRET).sign(id, new Date(NOW), body),
  };
}

/** A run that is there: finished or manual, as the route wants it. */
async function prepared(harness: Harness, route: ApiRoute): Promise<string> {
  const id = await harness.ask({ mode: "manual", callback_url: "https://hooks.example.com/a" });
  const run = harness.runs.get(id)!;
  run.results.set("r1", {
    ref: "r1",
    sha256: "0".repeat(64),
    sql: "SELECT 1 AS n",
    columns: ["country", "spent"],
    rows: [
      ["USA", 523.06],
      ["Canada", 303.96],
    ],
    fromRow: 1,
    storedRows: 2,
    totalRows: 2,
    truncated: false,
    nextRow: null,
  });
  run.run = { ...run.run!, receipt: { ...run.run!.receipt, results: ["r1"] } };
  const wantsEnd = ["continueRun", "forkRun", "askAgain", "resendRun", "readEvents"].includes(route.id);
  if (wantsEnd) run.end("stopped", "max_steps");
  return id;
}

const fails = (error: Error): Scenario["run"] =>
  async function run(harness, route) {
    if (route.id === "readSchema" || route.id === "estimateQuestion") {
      Object.defineProperty(harness.bindings, "DB", {
        get() {
          throw error;
        },
      });
      return call(harness, route);
    }
    if (["listRuns", "readUsage", "readCaller", "askQuestion"].includes(route.id) || isWebhook(route)) {
      const caller = harness.bindings.CALLERS.get(
        harness.bindings.CALLERS.idFromName(isWebhook(route) ? "webhook:form" : "local"),
      );
      caller.list = () => Promise.reject(error);
      caller.usage = () => Promise.reject(error);
      caller.admit = () => Promise.reject(error);
      return call(harness, route);
    }
    const id = await prepared(harness, route);
    const object = harness.runs.get(id)!;
    for (const method of [
      "view",
      "step",
      "cancel",
      "decide",
      "eventsAfter",
      "result",
      "transcript",
      "outgoing",
      "offerPlan",
    ] as const) {
      Object.assign(object, { [method]: () => Promise.reject(error) });
    }
    return call(harness, route, { id });
  };

const scenario = (
  name: string,
  appliesTo: Scenario["appliesTo"],
  run: Scenario["run"],
  settings: object = SETTINGS,
) => ({
  name,
  appliesTo,
  run,
  settings: { ...settings },
});

const quota = (reason: "rate" | "runs_at_once" | "daily_budget") =>
  scenario(
    reason,
    (route) => opens(route) || isWebhook(route),
    async (harness, route) => {
      const id = ofRun(route) ? await prepared(harness, route) : "";
      const name = isWebhook(route) ? "webhook:form" : "local";
      harness.bindings.CALLERS.get(harness.bindings.CALLERS.idFromName(name)).admit = async () => ({
        kind: "refused",
        reason,
        retryAfterS: 1,
        rate: { remaining: 0, resetS: 1 },
      });
      return call(harness, route, { id });
    },
  );

const carryRefused = (id: string, reason: "not_continuable" | "no_such_step" | "limit_not_raised") =>
  scenario(reason, only(id), async (harness, route) => {
    const runId = await prepared(harness, route);
    harness.runs.get(runId)!.carryOnReply = { kind: "refused", reason, message: "Because." };
    return call(harness, route, { id: runId });
  });

const scripted = (kind: "busy" | "waiting") =>
  scenario(kind, only("stepRun"), async (harness, route) => {
    const id = await prepared(harness, route);
    harness.runs.get(id)!.script.push(kind);
    return call(harness, route, { id });
  });

const withBody = (name: string, body: string, headers: Record<string, string> = {}) =>
  scenario(name, takesJson, async (harness, route) => {
    const id = ofRun(route) ? await prepared(harness, route) : "";
    return call(harness, route, { id, body, headers });
  });

/** A body that comes piece by piece: `start` gives the first ones. The clock of the request runs out at once. */
const withStream = (name: string, status: number, start: (controller: ReadableStreamDefaultController) => void) => ({
  ...scenario(
    name,
    (route) => route.body !== undefined,
    async (harness, route) => {
      const id = ofRun(route) ? await prepared(harness, route) : "x";
      const after = (_ms: number, late: () => void) => {
        setImmediate(late);
        return () => undefined;
      };
      Object.assign(harness.ports, { after });
      const path = route.path.replace("{id}", id).replace("{source}", "form");
      const body = new ReadableStream({ start });
      const headers = { "content-type": "application/json" };
      return harness.request(path, { method: "POST", headers, body, duplex: "half" } as RequestInit);
    },
    { ...SETTINGS, SLACK_SIGNING_SECRET: "x", SLACK_CALLER: '{"teams":["T0001"]}' },
  ),
  status,
});

export const SCENARIOS: readonly Scenario[] = [
  scenario(
    "all is well",
    (route) => !isSlack(route),
    async (harness, route) => {
      putDatabase(harness);
      return call(harness, route, ofRun(route) ? { id: await prepared(harness, route) } : {});
    },
  ),
  scenario("wrong settings", () => true, call, { QUERENT_LIMIT: "{}" }),
  scenario("no key", isKeyed, call, {}),
  scenario("another host", isKeyed, (harness, route) => call(harness, route, { host: "evil.example.com" })),
  { ...scenario("a bug", (route) => isKeyed(route) || isWebhook(route), fails(new TypeError("bug"))) },
  {
    ...scenario(
      "an overloaded object",
      (route) => isKeyed(route) || isWebhook(route),
      fails(Object.assign(new Error("x"), { overloaded: true })),
    ),
  },
  scenario(
    "a token of Access that is none",
    isKeyed,
    (harness, route) => call(harness, route, { headers: { "cf-access-jwt-assertion": "x", ...OWN_PAGE } }),
    ACCESS,
  ),
  scenario(
    "a token of Access, from another site",
    isKeyed,
    (harness, route) =>
      call(harness, route, { headers: { "cf-access-jwt-assertion": "x", origin: "https://evil.com" } }),
    ACCESS,
  ),
  scenario("an id of nobody", ofRun, call),
  withBody("malformed JSON", "{"),
  withStream("a body that stalls", 408, (controller) => controller.enqueue(new Uint8Array(3))),
  withStream("a body that breaks off", 400, (controller) => controller.error(new Error("cut"))),
  withBody("a list", "[]"),
  withBody("a large body", " ".repeat(1_000_001)),
  withBody("a text", '{"question":"x"}', { "content-type": "text/plain" }),
  withBody("an encoded body", '{"question":"x"}', { "content-encoding": "gzip" }),
  quota("rate"),
  quota("runs_at_once"),
  quota("daily_budget"),
  scenario("waiting for the end", opens, async (harness, route) => {
    const id = ofRun(route) ? await prepared(harness, route) : "";
    if (ofRun(route)) harness.runs.get(id)!.run = { ...harness.runs.get(id)!.run!, mode: "auto" };
    return call(harness, route, { id, headers: { prefer: "wait=10" } });
  }),
  {
    ...scenario("a wait that cannot be read", opens, async (harness, route) => {
      const id = ofRun(route) ? await prepared(harness, route) : "";
      if (ofRun(route)) harness.runs.get(id)!.run = { ...harness.runs.get(id)!.run!, mode: "auto" };
      return call(harness, route, { id, headers: { prefer: "wait=abc" } });
    }),
    status: 400,
  },
  scenario("a key in flight", opens, async (harness, route) => {
    const id = ofRun(route) ? await prepared(harness, route) : "";
    harness.bindings.CALLERS.get(harness.bindings.CALLERS.idFromName("local")).claim = async () => ({
      kind: "in_flight",
    });
    return call(harness, route, { id, headers: { "idempotency-key": '"k"' } });
  }),
  scenario("a key used before", opens, async (harness, route) => {
    const id = ofRun(route) ? await prepared(harness, route) : "";
    harness.bindings.CALLERS.get(harness.bindings.CALLERS.idFromName("local")).claim = async () => ({
      kind: "other_body",
    });
    return call(harness, route, { id, headers: { "idempotency-key": '"k"' } });
  }),
  scenario(
    "a limit above the maximum",
    (route) => opens(route) || asks(route),
    async (harness, route) => {
      const id = ofRun(route) ? await prepared(harness, route) : "";
      const question = asks(route) ? { question: "How many?" } : {};
      return call(harness, route, { id, body: { ...question, limits: { max_steps: 10_000 } } });
    },
  ),
  scenario("an unknown model", asks, (harness, route) =>
    call(harness, route, { body: { question: "How many?", model: "x" } }),
  ),
  scenario("an unknown tool", only("askQuestion"), (harness, route) =>
    call(harness, route, { body: { question: "How many?", tools: ["x"] } }),
  ),
  scenario(
    "odd parameters",
    (route) => ["listRuns", "readResult", "readUsage"].includes(route.id),
    async (harness, route) =>
      call(harness, route, { id: ofRun(route) ? await prepared(harness, route) : "", query: "?limit=0&days=0" }),
  ),
  scenario("an unknown kind of chart", only("drawChart"), async (harness, route) =>
    call(harness, route, { id: await prepared(harness, route), query: "?kind=pie" }),
  ),
  scenario("rows that suit no chart", only("drawChart"), async (harness, route) => {
    const id = await prepared(harness, route);
    harness.runs.get(id)!.results.clear();
    return call(harness, route, { id });
  }),
  scenario("a parameter twice", only("readEvents"), async (harness, route) =>
    call(harness, route, { id: await prepared(harness, route), query: "?last_event_id=1&last_event_id=2" }),
  ),
  scenario("an unknown event", only("readEvents"), async (harness, route) =>
    call(harness, route, { id: await prepared(harness, route), headers: { "last-event-id": "99" } }),
  ),
  scenario("all events read", only("readEvents"), async (harness, route) =>
    call(harness, route, { id: await prepared(harness, route), headers: { "last-event-id": "2" } }),
  ),
  scenario("nothing new", only("getRun"), async (harness, route) => {
    const id = await prepared(harness, route);
    const tag = (await call(harness, route, { id })).headers.get("etag") ?? "";
    return call(harness, route, { id, headers: { "if-none-match": tag } });
  }),
  scenario("CSV", only("readResult"), async (harness, route) =>
    call(harness, route, { id: await prepared(harness, route), query: "?format=csv" }),
  ),
  scenario("an unknown result", only("readResult"), async (harness, route) => {
    const id = await prepared(harness, route);
    harness.runs.get(id)!.results.clear();
    return call(harness, route, { id });
  }),
  scenario(
    "a run that is over",
    (route) => ["stepRun", "cancelRun", "replyRun", "approveRun"].includes(route.id),
    async (harness, route) => {
      const id = await prepared(harness, route);
      harness.runs.get(id)!.end("answered", "done");
      return call(harness, route, { id });
    },
  ),
  scenario(
    "a run that goes on",
    (route) => ["continueRun", "forkRun", "askAgain", "resendRun"].includes(route.id),
    async (harness, route) => call(harness, route, { id: await harness.ask() }),
  ),
  scenario(
    "something else is asked by now",
    (route) => ["approveRun", "replyRun"].includes(route.id),
    async (harness, route) => {
      const id = await prepared(harness, route);
      const object = harness.runs.get(id)!;
      object.decideReply = { kind: "not_waiting", run: object.run! };
      return call(harness, route, { id });
    },
  ),
  scenario("a step of an auto run", only("stepRun"), async (harness, route) =>
    call(harness, route, { id: await harness.ask() }),
  ),
  scripted("busy"),
  scripted("waiting"),
  carryRefused("continueRun", "not_continuable"),
  carryRefused("continueRun", "limit_not_raised"),
  carryRefused("forkRun", "not_continuable"),
  scenario("a run without a query", only("askAgain"), async (harness, route) => {
    const id = await prepared(harness, route);
    harness.runs.get(id)!.planReply = { kind: "refused", reason: "not_repeatable", message: "Because." };
    return call(harness, route, { id });
  }),
  carryRefused("forkRun", "no_such_step"),
  carryRefused("forkRun", "limit_not_raised"),
  scenario("an unknown source", isWebhook, (harness, route) => call(harness, route, { source: "nobody" })),
  scenario("a wrong signature", isWebhook, (harness, route) =>
    call(harness, route, { headers: { "webhook-signature": "v1,AAAA" } }),
  ),
  scenario("no question", isWebhook, (harness, route) => call(harness, route, { body: "{}" })),
  scenario("a question too long", isWebhook, (harness, route) =>
    call(harness, route, { body: { question: "x".repeat(5_000) } }),
  ),
  scenario("GitHub's ping", isWebhook, (harness, route) =>
    call(harness, route, {
      source: "repo",
      body: "{}",
      headers: {
        "x-github-event": "ping",
        "x-github-delivery": "d",
        "x-hub-signature-256": "sha256=0b781ede03d4022aa053554538ab6bc3c71b413f5315a5114768c410ffa39cb7",
      },
    }),
  ),
];
