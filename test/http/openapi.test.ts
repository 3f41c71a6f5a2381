import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { createDocument } from "../../src/http/openapi.ts";

describe("the contract", () => {
  test("is a valid OpenAPI 3.1 document, by a public validator", async () => {
    const result = await new Validator().validate(structuredClone(createDocument()));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  test("what takes a key takes the token of Cloudflare Access instead, and nothing else does", () => {
    const { paths, components } = createDocument() as unknown as {
      paths: Record<string, Record<string, { security: object[] }>>;
      components: { securitySchemes: Record<string, { name?: string }> };
    };
    expect(components.securitySchemes.access?.name).toBe("Cf-Access-Jwt-Assertion");
    for (const [path, operations] of Object.entries(paths)) {
      const takesKey = path.startsWith("/v1/") && !path.startsWith("/v1/webhooks");
      for (const { security } of Object.values(operations)) {
        expect([path, security]).toEqual([path, takesKey ? [{ key: [] }, { access: [] }] : []]);
      }
    }
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

  test("has Slack's forms with their signature headers, replies and examples", () => {
    const { paths, components } = createDocument() as unknown as {
      paths: Record<string, Record<string, Operation>>;
      components: { schemas: Record<string, object> };
    };
    const form = "application/x-www-form-urlencoded";
    for (const [path, name] of [
      ["/slack/commands", "SlackCommand"],
      ["/slack/interactions", "SlackInteraction"],
    ] as const) {
      const operation = paths[path]?.post;
      expect(Object.keys(operation?.requestBody.content ?? {})).toEqual([form]);
      expect(operation?.requestBody.content[form]).toMatchObject({
        schema: { $ref: `#/components/schemas/${name}` },
        example: expect.anything(),
      });
      expect(operation?.parameters.map((each) => `${each.in} ${each.name}`)).toEqual([
        "header X-Slack-Request-Timestamp",
        "header X-Slack-Signature",
      ]);
      expect(Object.keys(operation?.responses ?? {})).toEqual([
        "200",
        "400",
        "401",
        "404",
        "408",
        "413",
        "415",
        "500",
        "503",
      ]);
      expect(components.schemas[name]).toBeDefined();
    }
    expect(paths["/slack/commands"]?.post?.responses["200"]).toMatchObject({
      content: {
        "application/json": { schema: { $ref: "#/components/schemas/SlackReply" }, example: expect.anything() },
      },
    });
  });

  test("asks for both parts of a signed link, and for no parameter elsewhere", () => {
    const { paths } = createDocument() as unknown as { paths: Record<string, Record<string, Operation>> };
    const needed = Object.entries(paths).flatMap(([path, { get }]) =>
      (get?.parameters ?? [])
        .filter((each) => each.in === "query" && each.required)
        .map(({ name }) => `${path} ${name}`),
    );
    expect(needed).toEqual(["/slack/results/{id}/{ref} expires", "/slack/results/{id}/{ref} signature"]);
  });
});

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly requestBody: { readonly content: Record<string, object> };
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[];
  readonly responses: Record<string, object>;
}
