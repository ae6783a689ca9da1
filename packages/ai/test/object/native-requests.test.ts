/** Requests for typed output as they are sent, checked against the rules of each vendor. */
import { Type } from "@sinclair/typebox";
import { type AssistantMessage, completeSimple, registerBuiltInApiProviders, type Tool } from "pi-ai";
import { completeObject, type ObjectOptions, OutputError } from "pi-ai/object";
import { beforeAll, describe, expect, test } from "vitest";
import { checkSubset, type Json } from "./subset-rules.js";
import { TYPED_MODELS, type TypedModel } from "./typed-models.js";

beforeAll(registerBuiltInApiProviders);

/** Every keyword that some vendor rejects. */
const RICH = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 50, pattern: "^[A-Z]", default: "A", description: "The name." },
    address: { type: "string", format: "uri" },
    born: { type: "string", format: "date" },
    age: { type: "integer", minimum: 0, exclusiveMaximum: 150, nullable: true },
    kind: { const: "person" },
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 2, maxItems: 2 },
    many: { type: "array", items: { type: "string" }, minItems: 3, uniqueItems: true },
    both: { allOf: [{ type: "object", properties: { a: { type: "string" } } }, { $ref: "#/definitions/b" }] },
    either: { oneOf: [{ type: "string" }, { type: "number" }] },
    place: { $ref: "#/definitions/b", description: "Where." },
    maybe: { $ref: "#/definitions/b" },
  },
  required: ["name", "kind", "place"],
  definitions: { b: { type: "object", properties: { b: { type: "number", multipleOf: 2 } }, required: ["b"] } },
};

interface Sent {
  bodies: Json[];
  fetch: typeof fetch;
}

function capture(): Sent {
  const bodies: Json[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    bodies.push(JSON.parse(input instanceof Request ? await input.text() : String(init?.body)));
    return new Response('{"error":{"message":"stop here"}}', { status: 400 });
  };
  return { bodies, fetch };
}

async function request({ model, apiKey }: TypedModel, options: ObjectOptions<object>, tools?: Tool[]) {
  const { bodies, fetch } = capture();
  const context = { messages: "Go", ...(tools ? { tools } : {}) };
  const error = await completeObject(model, context, {
    ...options,
    apiKey,
    fetch,
    maxRetries: 0,
    transport: "sse",
  }).catch((reason: unknown) => reason);
  if (!(error instanceof OutputError)) throw error;
  return { error, bodies, body: bodies[0] };
}

describe.each(TYPED_MODELS.map((typed) => [`${typed.model.api} ${typed.model.id}`, typed] as const))(
  "%s",
  (_, typed) => {
    test("the native mode sends a schema that the vendor accepts, and reports what changed", async () => {
      const { body, error } = await request(typed, { schema: RICH });
      const { schema, fields } = typed.readFormat(body) ?? {};
      expect(checkSubset(schema, typed.rules)).toEqual([]);
      expect(fields).not.toEqual({});
      expect(error.mode).toBe("native");
      const note = error.response?.diagnostics?.find(({ type }) => type === "schema_narrowed");
      expect(note?.details).toMatchObject({
        schema: "output",
        changes: expect.arrayContaining([expect.stringContaining("wrote oneOf as anyOf")]),
      });
      expect(note?.details?.["source"]).toMatch(/20\d\d-\d\d/);
    });

    test("tells the model of constraints that the vendor cannot enforce", async () => {
      const schema = {
        type: "object",
        properties: { tags: { type: "array", items: { type: "string" }, uniqueItems: true, description: "Tags." } },
        required: ["tags"],
      };
      const { body } = await request(typed, { schema });
      expect(typed.readFormat(body)?.schema.properties.tags.description).toBe("Tags. (uniqueItems: true)");
    });

    test("the mode tool sends a forced tool and no output format", async () => {
      const { body, error } = await request(typed, { schema: RICH, mode: "tool" });
      expect(typed.readFormat(body)).toBeUndefined();
      expect(JSON.stringify(body)).toMatch(/"tool_?[cC](hoice|onfig)"/);
      expect(JSON.stringify(body)).toContain('"output"');
      expect(error.mode).toBe("tool");
    });

    test("the mode text sends neither", async () => {
      const { body } = await request(typed, { schema: RICH, mode: "text" });
      expect(typed.readFormat(body)).toBeUndefined();
      expect(body).not.toHaveProperty("tools");
      expect(JSON.stringify(body)).toContain("Respond with one JSON object");
    });

    test("a recursive schema is sent if the vendor accepts it, else rejected before anything is sent", async () => {
      const schema = {
        type: "object",
        properties: { next: { anyOf: [{ $ref: "#" }, { type: "null" }] } },
        required: ["next"],
      };
      const { bodies, error } = await request(typed, { schema });
      expect(bodies).toHaveLength(typed.rules.recursion ? 1 : 0);
      if (!typed.rules.recursion) {
        expect(error.kind).toBe("config");
        expect(error.message).toContain("recursive");
      }
    });

    test("a tool is strict only if the vendor can enforce it", async () => {
      const parameters = {
        type: "object",
        properties: { a: { type: "string", minLength: 1 }, b: { type: "number" } },
        required: ["a"],
      };
      const free = { type: "object", additionalProperties: { type: "string" } };
      const tools: Tool[] = [
        { name: "one", description: "One.", parameters, strict: "prefer" },
        { name: "two", description: "Two.", parameters: free, strict: "prefer" },
        { name: "three", description: "Three.", parameters },
      ];
      const { message, bodies } = await send(typed, tools);
      const types = message.diagnostics?.map(({ type }) => type) ?? [];
      if (!typed.readStrict) {
        expect(types.filter((type) => type === "tool_not_strict")).toHaveLength(2);
        return;
      }
      const [one, two, three] = typed.readStrict(bodies[0]) as unknown[];
      expect(one).toBe(true);
      expect([two, three]).not.toContain(true);
      expect(types.filter((type) => type === "tool_not_strict")).toHaveLength(1);
      const refused = await send(typed, [{ name: "two", description: "Two.", parameters: free, strict: "require" }]);
      expect(refused.bodies).toHaveLength(0);
      expect(refused.message).toMatchObject({ stopReason: "error", error: { kind: "config" } });
      expect(refused.message.errorMessage).toContain('Tool "two" cannot be strict');
    });
  },
);

async function send(
  { model, apiKey }: TypedModel,
  tools: Tool[],
): Promise<{ message: AssistantMessage; bodies: Json[] }> {
  const { bodies, fetch } = capture();
  const message = await completeSimple(
    model,
    { messages: "Go", tools },
    { apiKey, fetch, maxRetries: 0, transport: "sse" },
  );
  return { message, bodies };
}

describe("limits", () => {
  const [openai] = TYPED_MODELS;
  test.each([
    [
      "more properties than the limit",
      Type.Object(Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`p${index}`, Type.String()]))),
      "5001 properties",
    ],
    ["more levels than the limit", nest(11), "levels"],
    [
      "more enum values than the limit",
      {
        type: "object",
        properties: { a: { type: "string", enum: Array.from({ length: 1001 }, (_, index) => `v${index}`) } },
      },
      "1001 enum values",
    ],
    [
      "a reference to another document",
      { type: "object", properties: { a: { $ref: "https://example.com/schema" } } },
      undefined,
    ],
  ])("%s is rejected before anything is sent", async (_, schema, problem) => {
    const { model, apiKey } = openai;
    const { bodies, fetch } = capture();
    const error: unknown = await completeObject(model, "Go", { schema, apiKey, fetch }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ kind: "config" });
    if (problem) expect(String(error)).toContain(problem);
    expect(bodies).toHaveLength(0);
  });
});

function nest(levels: number): object {
  return levels === 0 ? { type: "string" } : { type: "object", properties: { a: nest(levels - 1) } };
}
