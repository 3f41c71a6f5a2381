import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { createDocument } from "../../src/http/openapi.ts";
import { createHarness } from "./harness.ts";

describe("/openapi.json", () => {
  test("is a valid OpenAPI 3.1 document, by a public validator", async () => {
    const result = await new Validator().validate(structuredClone(createDocument()));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  test("is served without a key, with an ETag, to any page, and while the settings are wrong", async () => {
    const { request } = createHarness({ QUERENT_LIMIT: "{}" });
    const response = await request("/openapi.json");
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await response.json()).toEqual(createDocument());
    const tag = response.headers.get("etag") ?? "";
    expect((await request("/openapi.json", { headers: { "if-none-match": tag } })).status).toBe(304);
  });

  test("describes what a question may be as the schema of the route has it", () => {
    const { schemas } = (createDocument() as { components: { schemas: Record<string, object> } }).components;
    expect(schemas.Ask).toMatchObject({
      type: "object",
      required: ["question"],
      additionalProperties: false,
      properties: { question: { type: "string", minLength: 1, maxLength: 4_000 } },
    });
  });
});
