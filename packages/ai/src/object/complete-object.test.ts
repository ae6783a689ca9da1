import { Type } from "@sinclair/typebox";
import { fauxAssistantMessage, fauxText, fauxToolCall, type Model, type StreamFn } from "pi-ai";
import { choice, completeObject, completeText, enumOf, OutputError } from "pi-ai/object";
import { createScriptedStreamFn } from "pi-ai/testing";
import { describe, expect, expectTypeOf, test } from "vitest";
import { createResponse } from "../../test/messages.js";
import { createModel } from "../../test/models.js";

const MODEL = createModel("openai-responses", {
  id: "gpt-5.4",
  reasoning: false,
  contextWindow: 100_000,
  maxTokens: 10_000,
});
/** A model of an unknown api has no native mode. */
const TOOL_MODEL: Model = { ...MODEL, id: "other", api: "custom", provider: "custom" };

const CITY = Type.Object({
  name: Type.String(),
  people: Type.Integer({ minimum: 1 }),
  river: Type.Optional(Type.String()),
});
const PARIS = { name: "Paris", people: 2_100_000 };
const READ = { name: "read", description: "Reads a file.", parameters: Type.Object({}) };

function json(value: unknown): ReturnType<typeof fauxAssistantMessage> {
  return fauxAssistantMessage(JSON.stringify(value));
}

function createCycle(): object {
  const schema = { type: "object", properties: {} as Record<string, unknown> };
  schema.properties["self"] = schema;
  return schema;
}

async function failure(promise: Promise<unknown>): Promise<OutputError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OutputError);
  return error as OutputError;
}

describe("the mode native", () => {
  test("sends the schema as the output format and returns the typed object", async () => {
    const streamFn = createScriptedStreamFn([json({ ...PARIS, river: null })]);
    const result = await completeObject(MODEL, "Largest city?", { schema: CITY, streamFn });
    expectTypeOf(result.object).toEqualTypeOf<{ name: string; people: number; river?: string }>();
    expect(result.object).toEqual(PARIS);
    expect(result.mode).toBe("native");
    const [{ context, options } = { context: undefined, options: undefined }] = streamFn.calls;
    expect(options).toMatchObject({ outputFormat: { name: "output", schema: CITY } });
    expect(options).not.toHaveProperty("toolChoice");
    expect(context?.tools).toBeUndefined();
  });

  test("wraps lists, unions and single values in an object, and unwraps them again", async () => {
    const streamFn = createScriptedStreamFn([json({ value: [1, 2] }), json({ value: "b" }), json({ value: 4 })]);
    const list = await completeObject(MODEL, "Go", { schema: Type.Array(Type.Integer()), streamFn });
    expect(list.object).toEqual([1, 2]);
    const union = await completeObject(MODEL, "Go", { schema: enumOf(["a", "b"]), streamFn });
    expectTypeOf(union.object).toEqualTypeOf<"a" | "b">();
    expect(union.object).toBe("b");
    expect((await completeObject(MODEL, "Go", { schema: { type: "integer" }, streamFn })).object).toBe(4);
    expect(streamFn.calls[0]?.options.outputFormat?.schema).toMatchObject({
      type: "object",
      properties: { value: { type: "array" } },
      required: ["value"],
      additionalProperties: false,
    });
  });

  test("keeps references valid when it wraps", async () => {
    const schema = {
      anyOf: [{ type: "null" }, { $ref: "#/$defs/node" }],
      $defs: { node: { type: "object", properties: { next: { $ref: "#" } } } },
    };
    const streamFn = createScriptedStreamFn([json({ value: { next: { next: null } } })]);
    const { object } = await completeObject(MODEL, "Go", { schema, streamFn });
    expect(object).toEqual({ next: { next: null } });
    expect(streamFn.calls[0]?.options.outputFormat?.schema).toEqual({
      type: "object",
      properties: { value: { anyOf: [{ type: "null" }, { $ref: "#/$defs/node" }] } },
      required: ["value"],
      additionalProperties: false,
      $defs: { node: { type: "object", properties: { next: { $ref: "#/properties/value" } } } },
    });
  });

  test("is not used for a schema with free property names where the provider requires closed objects", async () => {
    const streamFn = createScriptedStreamFn([fauxAssistantMessage(fauxToolCall("output", { a: 1 }))]);
    const { mode, object } = await completeObject(MODEL, "Go", {
      schema: Type.Record(Type.String(), Type.Number()),
      streamFn,
    });
    expect([mode, object]).toEqual(["tool", { a: 1 }]);
  });

  test("removes only nulls that stand for an absent property", async () => {
    const schema = Type.Object({
      kept: Type.Union([Type.String(), Type.Null()]),
      both: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      list: Type.Array(Type.Object({ a: Type.Optional(Type.Number()) })),
      either: Type.Union([
        Type.Object({ kind: Type.Literal("x"), v: Type.Optional(Type.Number()) }),
        Type.Object({ kind: Type.Literal("y"), v: Type.Null() }),
      ]),
    });
    const sent = { kept: null, both: null, list: [{ a: null }, { a: 1 }], either: { kind: "y", v: null } };
    const streamFn = createScriptedStreamFn([json(sent), json({ ...sent, either: { kind: "x", v: null } })]);
    const one = await completeObject(MODEL, "Go", { schema, streamFn });
    expect(one.object).toEqual({ ...sent, list: [{}, { a: 1 }] });
    const other = await completeObject(MODEL, "Go", { schema, streamFn });
    expect(other.object).toEqual({ ...sent, list: [{}, { a: 1 }], either: { kind: "x" } });
  });
});

describe("the mode tool", () => {
  test("is chosen without a native mode, and forces one tool", async () => {
    const streamFn = createScriptedStreamFn([fauxAssistantMessage(fauxToolCall("city", PARIS))]);
    const result = await completeObject(TOOL_MODEL, "Go", {
      schema: CITY,
      name: "city",
      description: "A city.",
      streamFn,
    });
    expect([result.mode, result.object]).toEqual(["tool", PARIS]);
    expect(streamFn.calls[0]?.options).toMatchObject({ toolChoice: "required" });
    expect(streamFn.calls[0]?.options).not.toHaveProperty("outputFormat");
    expect(streamFn.calls[0]?.context.tools).toEqual([
      { name: "city", description: "A city.", parameters: CITY, once: true },
    ]);
  });

  test("fails with tool_use if the model called other tools only", async () => {
    const streamFn = createScriptedStreamFn([fauxAssistantMessage(fauxToolCall("read"))]);
    const context = { messages: "Go", tools: [READ] };
    const error = await failure(completeObject(TOOL_MODEL, context, { schema: CITY, streamFn }));
    expect(error).toMatchObject({ kind: "tool_use", mode: "tool" });
    expect(error.message).toContain("read");
  });

  test("takes the output beside other tool calls", async () => {
    const streamFn = createScriptedStreamFn([
      fauxAssistantMessage([fauxToolCall("read"), fauxToolCall("output", PARIS)]),
    ]);
    const context = { messages: "Go", tools: [READ] };
    expect((await completeObject(TOOL_MODEL, context, { schema: CITY, streamFn })).object).toEqual(PARIS);
  });

  test.each([
    ["two calls", [fauxToolCall("output", PARIS), fauxToolCall("output", PARIS)], "there must be exactly one"],
    ["plain text", [fauxText(JSON.stringify(PARIS))], "the tool output was not called"],
  ])("sends %s back", async (_, content, problem) => {
    const streamFn = createScriptedStreamFn([
      fauxAssistantMessage(content),
      fauxAssistantMessage(fauxToolCall("output", PARIS)),
    ]);
    const result = await completeObject(TOOL_MODEL, "Go", { schema: CITY, streamFn });
    expect(result.object).toEqual(PARIS);
    expect(JSON.stringify(streamFn.calls[1]?.context.messages.slice(2))).toContain(problem);
  });

  test("adds a result for every tool call of an invalid response", async () => {
    const streamFn = createScriptedStreamFn([
      fauxAssistantMessage([fauxToolCall("read", {}, { id: "1" }), fauxToolCall("output", {}, { id: "2" })]),
      fauxAssistantMessage(fauxToolCall("output", PARIS)),
    ]);
    await completeObject(TOOL_MODEL, { messages: "Go", tools: [READ] }, { schema: CITY, streamFn });
    const results = streamFn.calls[1]?.context.messages.slice(2);
    expect(results).toMatchObject([
      { role: "toolResult", toolCallId: "1", isError: true },
      { role: "toolResult", toolCallId: "2", isError: true },
    ]);
  });

  test("refuses a name that a tool of the context has", async () => {
    const options = { schema: CITY, name: "read", mode: "tool" as const };
    await expect(completeObject(MODEL, { messages: "Go", tools: [READ] }, options)).rejects.toThrow(
      'already has a tool "read"',
    );
  });
});

describe("the mode text", () => {
  test.each([
    ["alone", (text: string) => text],
    ["in a code fence", (text: string) => `Here it is:\n\`\`\`json\n${text}\n\`\`\`\nDone.`],
    ["after braces in prose", (text: string) => `Use {a} as {"b: ${text} and }`],
  ])("finds the JSON %s", async (_, write) => {
    const streamFn = createScriptedStreamFn([fauxAssistantMessage(write(JSON.stringify(PARIS, null, 2)))]);
    const { object, mode } = await completeObject(
      MODEL,
      { systemPrompt: "Be brief.", messages: "Go" },
      { schema: CITY, mode: "text", streamFn },
    );
    expect([mode, object]).toEqual(["text", PARIS]);
    const prompt = streamFn.calls[0]?.context.systemPrompt;
    expect(prompt).toMatch(/^Be brief\.\n\n/);
    expect(prompt).toContain(JSON.stringify(CITY));
  });
});

describe("an output that does not fit", () => {
  const WRONG = { name: "Paris", people: "many" };

  test("goes back once with the validator's words, and both responses count", async () => {
    const usage = { input: 10, output: 5, cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 } };
    const respond = (value: unknown) => () =>
      createResponse({ content: [{ type: "text", text: JSON.stringify(value) }], usage });
    const streamFn = createScriptedStreamFn([respond(WRONG), respond(PARIS)]);
    const result = await completeObject(MODEL, "Go", { schema: CITY, streamFn });
    expect(result.object).toEqual(PARIS);
    expect(result.responses).toHaveLength(2);
    const used = result.responses.map((response) => response.usage);
    expect(result.usage.input).toBe(used.reduce((sum, each) => sum + each.input, 0));
    expect(result.usage.cost.total).toBeCloseTo(used.reduce((sum, each) => sum + each.cost.total, 0));
    const repair = streamFn.calls[1]?.context.messages.at(-1);
    expect(repair).toMatchObject({ role: "user", content: expect.stringContaining("people: must be integer") });
    streamFn.assertDone();
  });

  test.each([0, 2])("fails with invalid_output after %i repairs", async (maxRepairs) => {
    const streamFn = createScriptedStreamFn(Array.from({ length: maxRepairs + 1 }, () => json(WRONG)));
    const error = await failure(completeObject(MODEL, "Go", { schema: CITY, maxRepairs, streamFn }));
    expect(error).toMatchObject({ kind: "invalid_output", value: WRONG, text: JSON.stringify(WRONG) });
    expect(error.errors).toEqual(["people: must be integer"]);
    expect(error.responses).toHaveLength(maxRepairs + 1);
    streamFn.assertDone();
  });

  test("is never coerced", async () => {
    const streamFn = createScriptedStreamFn([json({ name: "Paris", people: "5" })]);
    const error = await failure(completeObject(MODEL, "Go", { schema: CITY, maxRepairs: 0, streamFn }));
    expect(error.errors).toEqual(["people: must be integer"]);
  });

  test.each([
    ["no text", "", "the response has no text"],
    ["no JSON", "Sorry, no.", "the response holds no JSON object"],
    ["cut JSON", '{"name": "Pa', "the JSON is not complete"],
    ["a number that overflows", '{"name":"a","people":1e999}', "too large to represent"],
    ["100,000 levels", `{"name":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "nested deeper than 256 levels"],
  ])("is reported if it holds %s", async (_, text, problem) => {
    const streamFn = createScriptedStreamFn([fauxAssistantMessage(text)]);
    const error = await failure(completeObject(MODEL, "Go", { schema: CITY, maxRepairs: 0, streamFn }));
    expect(error.kind).toBe("invalid_output");
    expect(error.errors.join()).toContain(problem);
  });

  test("keeps __proto__ as plain data", async () => {
    const text = '{"name":"a","people":1,"__proto__":{"polluted":true}}';
    const streamFn = createScriptedStreamFn([fauxAssistantMessage(text)]);
    const { object } = await completeObject(MODEL, "Go", { schema: CITY, streamFn });
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(object).not.toHaveProperty("polluted");
  });
});

describe("a failed response", () => {
  test.each([
    ["length", createResponse({ stopReason: "length", content: [{ type: "text", text: "{}" }] }), "length"],
    [
      "a refusal",
      createResponse({ stopReason: "error", errorMessage: "No.", error: { kind: "content_filter" } }),
      "content_filter",
    ],
    [
      "a rate limit",
      createResponse({ stopReason: "error", errorMessage: "Slow.", error: { kind: "rate_limit" } }),
      "rate_limit",
    ],
    ["an abort", createResponse({ stopReason: "aborted", errorMessage: "Request was aborted" }), "aborted"],
  ])("by %s is not repaired", async (_, response, kind) => {
    const streamFn = createScriptedStreamFn([() => response]);
    const error = await failure(completeObject(MODEL, "Go", { schema: CITY, streamFn }));
    expect(error.kind).toBe(kind);
    expect(error.retryable).toBe(kind === "rate_limit");
    streamFn.assertDone();
  });
});

test("a paused response is continued and is not a repair", async () => {
  const paused = createResponse({ stopReason: "pause", content: [{ type: "text", text: "Searching." }] });
  const streamFn = createScriptedStreamFn([() => paused, () => paused, json(PARIS)]);
  const result = await completeObject(MODEL, "Go", { schema: CITY, maxRepairs: 0, streamFn });
  expect(result.object).toEqual(PARIS);
  expect(result.responses).toHaveLength(3);
  expect(streamFn.calls[2]?.context.messages.map(({ role }) => role)).toEqual(["user", "assistant", "assistant"]);
});

describe("a schema of a library", () => {
  /** Implements Standard Schema and Standard JSON Schema, as Zod 4 and ArkType do. */
  function even(): { "~standard": { vendor: string; types?: { input: number; output: string } } } {
    const standard = {
      vendor: "test",
      version: 1,
      jsonSchema: { input: () => ({ type: "integer" }) },
      validate: async (value: unknown) =>
        Number(value) % 2 === 0
          ? { value: `${value}` }
          : { issues: [{ message: "must be even", path: ["n", { key: 0 }] }] },
    };
    return Object.assign(Object.create({}), { "~standard": standard });
  }

  test("checks with the library's own rules and returns its output", async () => {
    const streamFn = createScriptedStreamFn([json({ value: 3 }), json({ value: 4 })]);
    const { object } = await completeObject(MODEL, "Go", { schema: even(), streamFn });
    expectTypeOf(object).toEqualTypeOf<string>();
    expect(object).toBe("4");
    expect(JSON.stringify(streamFn.calls[1]?.context.messages)).toContain("n.0: must be even");
  });
});

describe("input that cannot be used", () => {
  test.each([
    [
      "a schema of a library without JSON Schema",
      { schema: Object.assign(Object.create({}), { "~standard": { vendor: "valibot" } }) },
      "toJsonSchema",
    ],
    ["no schema", { schema: undefined as unknown as object }, 'The option "schema"'],
    ["a broken reference", { schema: { $ref: "#/$defs/gone" } }, "cannot be used"],
    ["a bad name", { schema: CITY, name: "a b" }, "The name of an output"],
    ["an unknown mode", { schema: CITY, mode: "natve" as "native" }, "mode must be one of auto, native, tool, text"],
    ["a schema that contains itself", { schema: createCycle() }, "write recursion as $ref"],
    ["a fraction of a repair", { schema: CITY, maxRepairs: 0.5 }, "maxRepairs"],
  ])("is refused before anything is sent: %s", async (_, options, problem) => {
    const streamFn = createScriptedStreamFn([]);
    await expect(completeObject(MODEL, "Go", { ...options, streamFn })).rejects.toThrow(problem);
    expect(streamFn.calls).toHaveLength(0);
  });
});

test("is refused without options, and with a streamFn that returns nothing", async () => {
  const missing = undefined as unknown as { schema: object }; // As in JavaScript, here and below.
  await expect(completeObject(MODEL, "Go", missing)).rejects.toThrow('The option "schema"');
  const streamFn = (() => undefined) as unknown as StreamFn;
  await expect(completeObject(MODEL, "Go", { schema: CITY, streamFn })).rejects.toThrow(
    "streamFn must return a stream",
  );
});

test("choice needs a label", () => {
  expect(() => choice({})).toThrow("choice needs at least one label");
});

test("choice describes its labels to the model", async () => {
  const streamFn = createScriptedStreamFn([json({ value: "bug" })]);
  const schema = choice({ bug: "It is broken", idea: "It could be better" });
  const { object } = await completeObject(MODEL, "Go", { schema, streamFn });
  expectTypeOf(object).toEqualTypeOf<"bug" | "idea">();
  expect(object).toBe("bug");
  expect(JSON.stringify(streamFn.calls[0]?.options.outputFormat)).toContain("It could be better");
});

describe("completeText", () => {
  test("resolves with the joined text", async () => {
    const streamFn = createScriptedStreamFn([fauxAssistantMessage([fauxText("Hello, "), fauxText("world")])]);
    expect(await completeText(MODEL, "Hi", { streamFn })).toBe("Hello, world");
  });

  test.each([
    [createResponse({ stopReason: "length" }), "length"],
    [createResponse({ stopReason: "toolUse", content: [fauxToolCall("read")] }), "tool_use"],
    [createResponse({ stopReason: "error", errorMessage: "No.", error: { kind: "auth" } }), "auth"],
  ])("throws for an ending that is not a stop", async (response, kind) => {
    const error = await failure(completeText(MODEL, "Hi", { streamFn: createScriptedStreamFn([() => response]) }));
    expect(error.kind).toBe(kind);
    expect(error.response).toBeDefined();
  });
});

test("arguments that are not JSON go back to the model as they were", async () => {
  const broken = {
    ...fauxToolCall("output"),
    argumentsError: "the JSON is not complete",
    argumentsText: '{"name":"Par',
  };
  const streamFn = createScriptedStreamFn([
    fauxAssistantMessage(broken),
    fauxAssistantMessage(fauxToolCall("output", PARIS)),
  ]);
  await completeObject(TOOL_MODEL, "Go", { schema: CITY, streamFn });
  const [result] = streamFn.calls[1]?.context.messages.slice(-1) ?? [];
  expect(JSON.stringify(result)).toContain(JSON.stringify('{"name":"Par').slice(1, -1));
});

test("a property that is not allowed is named", async () => {
  const strict = Type.Object({ name: Type.String() }, { additionalProperties: false });
  const streamFn = createScriptedStreamFn([fauxAssistantMessage(fauxToolCall("output", { name: "x", nmae: "y" }))]);
  const error = await failure(completeObject(TOOL_MODEL, "Go", { schema: strict, streamFn, maxRepairs: 0 }));
  expect(error.message).toContain('must NOT have additional properties: "nmae"');
});
