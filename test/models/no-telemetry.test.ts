import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as api from "@opentelemetry/api";
import { describe, expect, it } from "vitest";
import * as stub from "../../src/models/no-telemetry.ts";

const SDK = fileURLToPath(new URL("../../node_modules/@anthropic-ai/sdk/", import.meta.url));
const SOURCES = readdirSync(SDK, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".mjs"))
  .map((name) => readFileSync(join(SDK, name), "utf8"))
  .filter((text) => text.includes("@opentelemetry/api"));

describe("the stand-in for OpenTelemetry's API", () => {
  it("has every name that Anthropic's package imports, and every function that it calls on them", () => {
    const names = SOURCES.flatMap((text) =>
      [...text.matchAll(/import \{([^}]*)\} from ['"]@opentelemetry\/api['"]/g)].flatMap(([, list = ""]) =>
        list.split(",").map((name) => name.trim()),
      ),
    ).filter((name) => name !== "");
    expect(names.length).toBeGreaterThan(0);
    expect(Object.keys(stub)).toEqual(expect.arrayContaining([...new Set(names)]));
    const objects = [
      ["context", api.context, stub.context],
      ["propagation", api.propagation, stub.propagation],
      ["trace", api.trace, stub.trace],
    ] as const;
    for (const [object, theirs, ours] of objects) {
      const called = SOURCES.flatMap((text) =>
        [...text.matchAll(new RegExp(`(?<![.\\w])${object}\\.(\\w+)\\(`, "g"))].map(([, name = ""]) => name),
      ).filter((name) => name in theirs);
      expect(Object.keys(ours)).toEqual(expect.arrayContaining([...new Set(called)]));
    }
  });

  it("has the API's own numbers, and runs what it is given", () => {
    expect(api.SpanKind).toMatchObject(stub.SpanKind);
    expect(api.SpanStatusCode).toMatchObject(stub.SpanStatusCode);
    expect(stub.context.with(stub.context.active(), () => 5)).toBe(5);
    expect(stub.trace.setSpan("kept")).toBe("kept");
    expect(stub.propagation.fields()).toEqual([]);
    expect([stub.trace.getSpan(), stub.trace.isSpanContextValid(), stub.propagation.inject()]).toEqual([
      undefined,
      false,
      undefined,
    ]);
    expect(stub.trace.getTracerProvider().getTracer()).toBeNull();
  });
});
