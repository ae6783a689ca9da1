import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ConfigError } from "../errors.js";
import { complete } from "../index.js";
import { refuseLibrarySchemas } from "./library-schema.js";
import { createToolParameters } from "./tool-parameters.js";
import { validateToolArguments } from "./validation.js";

const tool = (parameters: object) => ({ name: "tool", description: "", parameters });
const call = (input: Record<string, unknown>) => ({
  type: "toolCall" as const,
  id: "1",
  name: "tool",
  arguments: input,
});

describe("the parameters made from another library's schema", () => {
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
  ])("are the JSON Schema that is sent and checked against: %s", (_library, parameters) => {
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

  it("describe what the schema takes, not what it makes of it", () => {
    const parameters = createToolParameters(z.object({ limit: z.number().default(5) }));
    expect(parameters).not.toHaveProperty("required");
  });

  it("ask the library once, and keep what it says apart from its own objects", () => {
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

  it("say in an error what is missing where a library cannot tell its JSON Schema", () => {
    expect(() => createToolParameters(v.object({ city: v.string() }))).toThrow(ConfigError);
    expect(() => createToolParameters(v.object({ city: v.string() }))).toThrow(
      "Schemas of valibot do not tell their JSON Schema. Give a function that makes it from them",
    );
  });

  it("leave the library's own error for what JSON Schema cannot say", () => {
    expect(() => createToolParameters(z.object({ at: z.date() }))).toThrow(/[Dd]ate/);
  });
});

describe("a library's own schema as parameters", () => {
  it.each([
    ["zod", z.object({ city: z.string() })],
    ["arktype", type({ city: "string" })],
    ["valibot", v.object({ city: v.string() })],
  ])("is refused with what to write: %s", (library, schema) => {
    expect(() => refuseLibrarySchemas([tool(schema)])).toThrow(
      `The parameters of tool "tool" are a schema of ${library}, not JSON Schema: write createToolParameters(schema)`,
    );
  });

  it.each([
    ["made by the library", z.toJSONSchema(z.object({ city: z.string() }))],
    ["made by us", createToolParameters(z.object({ city: z.string() }))],
    ["written by hand", { type: "object", properties: {} }],
    ["of another prototype", Object.create(null)],
  ])("is told from JSON Schema: %s", (_, schema) => {
    expect(() => refuseLibrarySchemas([tool(schema)])).not.toThrow();
  });

  it("ends a call before anything is sent", async () => {
    const tools = [tool(z.object({ city: z.string() }))];
    const model = {
      id: "m",
      name: "m",
      api: "anthropic-messages",
      provider: "x",
      baseUrl: "https://api.test",
    } as never; // what is looked at before
    const fetch = (): never => {
      throw new Error("sent");
    };
    const message = await complete(model, { messages: [], tools }, { apiKey: "test-key", fetch });
    expect(message).toMatchObject({ stopReason: "error", error: { kind: "config" } });
    expect(message.errorMessage).toContain("createToolParameters");
  });
});
