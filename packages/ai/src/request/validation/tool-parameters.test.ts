import { type Static, Type } from "@sinclair/typebox";
import { type } from "arktype";
import {
  ConfigError,
  complete,
  createToolParameters,
  estimateTokens,
  getModel,
  StringEnum,
  validateToolArguments,
} from "pi-ai";
import { readParameters } from "pi-ai/call";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { validate } from "../../../test/tool-arguments.js";

const tool = (parameters: object) => ({ name: "tool", description: "", parameters });
const call = (input: Record<string, unknown>) => ({
  type: "toolCall" as const,
  id: "1",
  name: "tool",
  arguments: input,
});

describe("parameters created from another library's schema", () => {
  it.each([
    ["Zod", createToolParameters(z.object({ city: z.string(), nights: z.int().optional() }))],
    ["ArkType", createToolParameters(type({ city: "string", "nights?": "number.integer" }))],
    [
      "Valibot, with a function",
      createToolParameters(v.object({ city: v.string(), nights: v.optional(v.number()) }), (schema) => ({
        type: "object",
        properties: { city: { type: schema.entries.city.type }, nights: { type: "integer" } },
        required: ["city"],
      })),
    ],
  ])("are the JSON Schema that is sent and validated: %s", (_library, parameters) => {
    expect(JSON.parse(JSON.stringify(parameters))).toMatchObject({
      type: "object",
      properties: { city: { type: "string" }, nights: { type: "integer" } },
      required: ["city"],
    });
    expect(validateToolArguments(tool(parameters), call({ city: "Oslo", nights: "2" }))).toEqual({
      city: "Oslo",
      nights: 2,
    });
    expect(() => validateToolArguments(tool(parameters), call({ nights: 2 }))).toThrow(/city/);
  });

  it("describe the schema's input, not its output", () => {
    const parameters = createToolParameters(z.object({ limit: z.number().default(5) }));
    expect(parameters).not.toHaveProperty("required");
  });

  it("convert the schema once, and copy the result", () => {
    const response = { type: "object" };
    let asked = 0;
    const input = (): object => {
      asked += 1;
      return response;
    };
    const schema = { "~standard": { vendor: "test", jsonSchema: { input } } };
    const parameters = createToolParameters(schema);
    validateToolArguments(tool(parameters), call({}));
    JSON.stringify(parameters);
    expect(asked).toBe(1);
    expect(parameters).not.toBe(response);
  });

  it("report the missing converter if a library has no JSON Schema", () => {
    expect(() => createToolParameters(v.object({ city: v.string() }))).toThrow(ConfigError);
    expect(() => createToolParameters(v.object({ city: v.string() }))).toThrow(
      "The schema is one of valibot, which does not describe itself as JSON Schema. Write createToolParameters(schema, " +
        "toJsonSchema), with toJsonSchema of @valibot/to-json-schema",
    );
  });

  it("keep the library's own error for what JSON Schema cannot express", () => {
    expect(() => createToolParameters(z.object({ at: z.date() }))).toThrow(/[Dd]ate/);
  });
});

describe("a library's schema as parameters", () => {
  it.each([
    ["Zod", z.object({ city: z.string(), nights: z.int().optional() })],
    ["ArkType", type({ city: "string", "nights?": "number.integer" })],
    ["a schema that was given Standard JSON Schema", withJsonSchema(v.object({ city: v.string() }))],
  ])("is converted once: %s", (_library, schema) => {
    const parameters = readParameters(tool(schema));
    expect(parameters).toMatchObject({ type: "object", properties: { city: { type: "string" } }, required: ["city"] });
    expect(readParameters(tool(schema))).toBe(parameters);
    expect(validateToolArguments(tool(schema), call({ city: "Oslo" }))).toEqual({ city: "Oslo" });
    expect(() => validateToolArguments(tool(schema), call({}))).toThrow(/city: must have required property/);
  });

  it("names the tool and the fix if the library cannot convert the schema", () => {
    const text =
      'The parameters of tool "tool" are a schema of valibot, which does not describe itself as JSON Schema. Write ' +
      "createToolParameters(schema, toJsonSchema), with toJsonSchema of @valibot/to-json-schema";
    const schema = v.object({ city: v.string() });
    expect(() => readParameters(tool(schema))).toThrow(text);
    expect(() => validateToolArguments(tool(schema), call({}))).toThrow(text);
    const other = { "~standard": { vendor: "other" } };
    expect(() => readParameters(tool(other))).toThrow(
      "Write createToolParameters(schema, toJsonSchema), with a function that converts it",
    );
  });

  it.each([
    ["made by the library", z.toJSONSchema(z.object({ city: z.string() }))],
    ["made by us", createToolParameters(z.object({ city: z.string() }))],
    ["written by hand", { type: "object", properties: {} }],
    ["of another prototype", Object.create(null)],
  ])("is distinguished from JSON Schema: %s", (_, schema) => {
    expect(readParameters(tool(schema))).toBe(schema);
  });

  it("counts as its JSON Schema in a token estimate", () => {
    const schema = type({ city: "string" });
    expect(estimateTokens({ messages: [], tools: [tool(schema)] })).toBe(
      estimateTokens({ messages: [], tools: [tool(readParameters(tool(schema)))] }),
    );
  });

  it("is sent as JSON Schema", async () => {
    const bodies: unknown[] = [];
    const model = getModel("anthropic", "claude-sonnet-4-6");
    await complete(
      model,
      { messages: "Hi", tools: [tool(z.object({ city: z.string() }))] },
      {
        apiKey: "key",
        maxRetries: 0,
        onPayload: (body) => void bodies.push(body),
        fetch: async () => new Response("", { status: 400 }),
      },
    );
    expect(bodies).toMatchObject([
      { tools: [{ input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } }] },
    ]);
  });
});

/** The result of `toStandardJsonSchema` of `@valibot/to-json-schema`. */
function withJsonSchema<TSchema extends { "~standard": object }>(schema: TSchema): TSchema {
  const input = (): object => ({ type: "object", properties: { city: { type: "string" } }, required: ["city"] });
  return { ...schema, "~standard": { ...schema["~standard"], jsonSchema: { input } } };
}

const Color = StringEnum(["red", "green"], { description: "Of the line", default: "red" });

it("is a plain string with an enum", () => {
  expect(JSON.parse(JSON.stringify(Color))).toStrictEqual({
    type: "string",
    enum: ["red", "green"],
    description: "Of the line",
    default: "red",
  });
  expect(JSON.parse(JSON.stringify(StringEnum(["a"])))).toStrictEqual({ type: "string", enum: ["a"] });
});

it("has the union of its values as type, inside other schemas too", () => {
  const parameters = Type.Object({ color: Color, size: Type.Optional(StringEnum(["s", "m"])) });
  expectTypeOf<Static<typeof Color>>().toEqualTypeOf<"red" | "green">();
  expectTypeOf<Static<typeof parameters>>().toEqualTypeOf<{ color: "red" | "green"; size?: "s" | "m" }>();
  // @ts-expect-error a default is one of the values
  StringEnum(["a"], { default: "b" });
});

it("has the union of its values as type for TypeBox 1", () => {
  // `Static` of TypeBox 1 reads this property.
  expectTypeOf<(typeof Color)["~unsafe"]>().toEqualTypeOf<"red" | "green">();
});

it("validates", () => {
  const parameters = Type.Object({ color: Color });
  expect(validate(parameters, { color: "green" })).toEqual({ color: "green" });
  expect(() => validate(parameters, { color: "blue" })).toThrow(
    "  - color: must be equal to one of the allowed values",
  );
});
