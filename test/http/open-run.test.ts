import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { checkAsk } from "../../src/http/ask.ts";
import { enterRun, type Opening, openRun, rateHeaders } from "../../src/http/open-run.ts";
import { ok } from "../../src/lib/result.ts";
import { createWorld } from "../fakes/fake-run-object.ts";

const CONFIG = readConfig({ QUERENT_LOCAL: "1" });
const CALLER = CONFIG.localCaller!;

function open(key: Opening["key"] = null) {
  const world = createWorld();
  const checked = checkAsk({ question: "How many?" }, CALLER, CONFIG, "localhost");
  if (!checked.ok) throw new Error(checked.error.detail);
  const opening: Opening = { bindings: world.bindings, ports: world.ports, caller: CALLER, driver: "alarm", key };
  return { ...world, opening, ask: checked.value };
}

describe("openRun", () => {
  test("has the run admitted with the most it can cost before it is started", async () => {
    const { callers, runs, opening, ask } = open();
    const opened = await openRun(ask, opening);
    expect(opened).toMatchObject({ ok: true, value: { isRepeat: false, keyExpiresAt: null } });
    const admitted = callers.get("local")?.admitted[0];
    // The offline model costs nothing: five million rows at a nano-dollar each.
    expect(admitted).toMatchObject({ reserveNanoUsd: 5_000_000, question: "How many?" });
    await openRun({ ...ask, model: "claude-sonnet-5-5" }, opening);
    expect(callers.get("local")?.admitted[1]).toMatchObject({ reserveNanoUsd: 500_000_000 });
    expect([...runs.keys()][0]).toBe(admitted?.runId);
  });

  test("C32: starts nothing for a request whose run is over, and shows the run while it is kept", async () => {
    const key = { name: "webhook:a:1", fingerprint: "", keptMs: 1_209_600_000 };
    const { callers, runs, opening, ask } = open(key);
    const first = await openRun(ask, opening);
    const id = first.ok ? first.value.run.id : "";
    const object = runs.get(id)!;
    object.end("answered", "done");
    callers.get("local")!.over.add(id);
    expect(await openRun(ask, opening)).toMatchObject({
      ok: true,
      value: { isRepeat: true, run: { id, answer: "42" } },
    });
    object.run = null;
    expect(await openRun(ask, opening)).toMatchObject({ ok: false, error: { code: "run_not_found" } });
    expect(object.calls.filter((call) => call === "start")).toHaveLength(1);
  });

  test("starts nothing that is not admitted", async () => {
    const { callers, runs, opening, ask } = open();
    await openRun(ask, opening);
    callers.get("local")!.refusal = {
      kind: "refused",
      reason: "runs_at_once",
      retryAfterS: 5,
      rate: { remaining: 3, resetS: 1 },
    };
    const refused = await openRun(ask, opening);
    expect(refused).toMatchObject({
      ok: false,
      error: { code: "too_many_runs", options: { headers: { "retry-after": "5" } } },
    });
    expect(runs.size).toBe(1);
  });

  test("says that a key has come before", async () => {
    const { opening, ask } = open({ name: "k", fingerprint: "f" });
    expect(await openRun(ask, opening)).toMatchObject({ ok: true, value: { isRepeat: false } });
    expect(await openRun(ask, opening)).toMatchObject({ ok: true, value: { isRepeat: true } });
  });

  test("logs the run and the caller, and not the question", async () => {
    const { logs, opening, ask } = open();
    await openRun(ask, opening);
    expect(logs).toMatchObject([{ event: "run_opened", caller: "local" }]);
    expect(JSON.stringify(logs)).not.toContain("How many");
  });
});

describe("enterRun", () => {
  test("frees what was held when nothing begins", async () => {
    const { callers, opening } = open();
    const refusal = { code: "run_not_continuable", detail: "No." } as const;
    const begin = async () => ({ ok: false, error: refusal }) as const;
    const entered = await enterRun({ reserveNanoUsd: 7, question: "q", begin }, opening);
    expect(entered).toEqual({ ok: false, error: refusal });
    expect(callers.get("local")?.withdrawn).toHaveLength(1);
  });

  test("hands the new id and the driver to what begins", async () => {
    const { callers, opening, runs, bindings } = open();
    const entered = await enterRun(
      {
        reserveNanoUsd: 7,
        question: "q",
        async begin(runId, driver) {
          const run = bindings.RUNS.get(bindings.RUNS.idFromName(runId));
          const checked = checkAsk({ question: "q" }, CALLER, CONFIG, "x");
          if (!checked.ok) throw new Error("not checked");
          return ok(await run.start({ ...checked.value, id: runId, caller: "local", scopes: {} }, driver));
        },
      },
      opening,
    );
    const id = callers.get("local")?.admitted[0]?.runId ?? "";
    expect(entered).toMatchObject({ ok: true, value: { run: { id } } });
    expect(runs.get(id)?.driver).toBe("alarm");
  });
});

describe("rateHeaders", () => {
  test("are written as the draft has them", () => {
    expect(rateHeaders(CALLER, { remaining: 5, resetS: 30 })).toEqual({
      "ratelimit-policy": '"questions";q=6000;w=60',
      ratelimit: '"questions";r=5;t=30',
    });
  });
});
