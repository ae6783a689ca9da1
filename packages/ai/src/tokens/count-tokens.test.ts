import { Type } from "@sinclair/typebox";
import { type Context, estimateTokens, type KnownApi, type Model } from "pi-ai";
import { countTokens } from "pi-ai/count";
import { describe, expect, it } from "vitest";
import { API_TESTS } from "../../test/protocols/all-apis.js";

const context: Context = {
  systemPrompt: "You help.",
  messages: [{ role: "user", content: "Hello", timestamp: 1 }],
  tools: [{ name: "read", description: "Reads a file", parameters: Type.Object({ path: Type.String() }) }],
};

function modelOf(api: KnownApi): Model {
  const model = API_TESTS.find((tests) => tests.api === api)?.handoff.targets[0];
  if (!model) throw new Error(`No model of ${api}`);
  return model;
}

/** Responds with JSON and remembers the requests. */
function server(response: object, status = 200) {
  const requests: { url: string; body: Record<string, unknown> }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    requests.push({ url, body: JSON.parse(String(init?.body)) });
    return new Response(JSON.stringify(response), { status, headers: { "content-type": "application/json" } });
  };
  return { requests, fetch };
}

describe("the endpoint of the provider", () => {
  const cases: [KnownApi, RegExp, object, string[]][] = [
    [
      "anthropic-messages",
      /\/v1\/messages\/count_tokens$/,
      { input_tokens: 17 },
      ["messages", "model", "system", "tools"],
    ],
    ["openai-responses", /\/responses\/input_tokens$/, { input_tokens: 17 }, ["input", "model", "tools"]],
    ["google-generative-ai", /\/models\/[\w.-]+:countTokens$/, { totalTokens: 17 }, ["generateContentRequest"]],
  ];
  it.each(cases)("of %s counts", async (api, url, response, fields) => {
    const { requests, fetch } = server(response);
    const count = await countTokens(modelOf(api), context, { apiKey: "key", fetch, maxTokens: 100 });
    expect(count).toEqual({ tokens: 17, source: "provider" });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.url).toMatch(url);
    expect(Object.keys(requests[0]?.body ?? {})).toEqual(expect.arrayContaining(fields));
    expect(requests[0]?.body).not.toHaveProperty("max_tokens");
    expect(requests[0]?.body).not.toHaveProperty("stream");
  });

  it("of Gemini receives the whole request with the model's name", async () => {
    const { requests, fetch } = server({ totalTokens: 17 });
    const model = modelOf("google-generative-ai");
    await countTokens(model, context, { apiKey: "key", fetch });
    expect(requests[0]?.body["generateContentRequest"]).toMatchObject({
      model: `models/${model.id}`,
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      systemInstruction: { parts: [{ text: "You help." }] },
    });
  });

  it("of Bedrock receives a signed request for its own operation", async () => {
    const { requests, fetch } = server({ inputTokens: 17 });
    const model = modelOf("bedrock-converse-stream");
    const credentials = { region: "us-east-1", credentials: { accessKeyId: "id", secretAccessKey: "secret" } };
    const count = await countTokens(model, context, { fetch, ...credentials } as Parameters<typeof countTokens>[2]);
    expect(count).toEqual({ tokens: 17, source: "provider" });
    expect(requests[0]?.url).toMatch(/\/count-tokens$/);
    expect(requests[0]?.body).toMatchObject({ input: { converse: { messages: [{ role: "user" }] } } });
  });
});

describe("an estimate", () => {
  it("replaces the count of an endpoint that rejects the request", async () => {
    const { fetch } = server({ error: { message: "no such endpoint" } }, 404);
    const model = modelOf("anthropic-messages");
    expect(await countTokens(model, context, { apiKey: "key", fetch })).toEqual({
      tokens: estimateTokens(context, model),
      source: "estimate",
      reason: expect.stringContaining("404"),
      error: expect.objectContaining({ status: 404 }),
    });
  });

  it.each([{}, { input_tokens: "17" }, { input_tokens: -1 }])("replaces the malformed count %o", async (response) => {
    const { fetch } = server(response);
    const count = await countTokens(modelOf("anthropic-messages"), context, { apiKey: "key", fetch });
    expect(count).toMatchObject({ source: "estimate", reason: "The provider returned no input_tokens" });
  });

  it("is used for an api without an endpoint, and nothing is sent", async () => {
    const { requests, fetch } = server({});
    const count = await countTokens(modelOf("mistral-conversations"), context, { apiKey: "key", fetch });
    expect(count).toMatchObject({ source: "estimate", reason: expect.stringContaining("has no endpoint") });
    expect(requests).toEqual([]);
  });
});

describe("a request to count", () => {
  const FIELDS: [KnownApi, string[]][] = [
    ["anthropic-messages", ["messages", "model", "system", "thinking", "tool_choice", "tools"]],
    ["openai-responses", ["input", "instructions", "model", "reasoning", "text", "tool_choice", "tools"]],
  ];
  it.each(FIELDS)("of %s contains only fields that its endpoint knows", async (api, known) => {
    const { requests, fetch } = server({ input_tokens: 17 });
    const options = {
      apiKey: "key",
      fetch,
      maxTokens: 100,
      temperature: 0.5,
      sessionId: "s",
      metadata: { user_id: "u" },
    };
    await countTokens(modelOf(api), context, options);
    expect(Object.keys(requests[0]?.body ?? {}).filter((field) => !known.includes(field))).toEqual([]);
  });

  it("contains the key and the version, and is sent once", async () => {
    const seen: Headers[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      seen.push(new Headers(input instanceof Request ? input.headers : init?.headers));
      return Response.json({ error: { type: "rate_limit_error", message: "slow down" } }, { status: 429 });
    };
    const options = { apiKey: "key-1", fetch, maxRetries: 0 };
    const count = await countTokens(modelOf("anthropic-messages"), context, options);
    expect(count).toMatchObject({ source: "estimate", error: { kind: "rate_limit", status: 429 } });
    expect(count.reason).toContain("slow down");
    expect(seen).toHaveLength(1);
    expect(seen[0]?.get("x-api-key")).toBe("key-1");
    expect(seen[0]?.get("anthropic-version")).toBe("2023-06-01");
  });

  it("is aborted by the signal", async () => {
    const controller = new AbortController();
    const fetch: typeof globalThis.fetch = (input, init) =>
      new Promise((_, reject) => {
        const signal = input instanceof Request ? input.signal : init?.signal;
        signal?.addEventListener("abort", () => reject(signal.reason));
        controller.abort();
      });
    const options = { apiKey: "key", fetch, signal: controller.signal };
    const count = await countTokens(modelOf("anthropic-messages"), context, options);
    expect(count).toMatchObject({ source: "estimate", reason: "Request was aborted" });
  });

  it("of Bedrock contains the messages, the system prompt and the tools", async () => {
    const { requests, fetch } = server({ inputTokens: 17 });
    const credentials = { region: "us-east-1", credentials: { accessKeyId: "id", secretAccessKey: "secret" } };
    const options = { fetch, maxTokens: 100, temperature: 0.5, ...credentials } as Parameters<typeof countTokens>[2];
    await countTokens(modelOf("bedrock-converse-stream"), context, options);
    const { input } = (requests[0]?.body ?? {}) as { input?: { converse?: object } };
    expect(Object.keys(input ?? {})).toEqual(["converse"]);
    const known = ["additionalModelRequestFields", "messages", "system", "toolConfig"];
    expect(Object.keys(input?.converse ?? {}).filter((field) => !known.includes(field))).toEqual([]);
  });
});

describe("an argument of another type", () => {
  // As JavaScript callers pass them.
  const count = countTokens as (...args: unknown[]) => Promise<unknown>;
  const model = modelOf("anthropic-messages");

  it.each<[string, unknown[], string]>([
    ["no model", [undefined, context], 'The argument "model" must be a model object'],
    ["the name of a model", ["anthropic/claude", context], 'Write getModel("anthropic", "claude").'],
    ["no context", [model], 'The argument "context" must be a prompt or an object such as { systemPrompt, messages'],
    ["no messages", [model, {}], "context.messages must be a list of messages or a string, but it is undefined."],
    ["null for options", [model, context, null], "The options must be an object, not null; omit them"],
  ])("is refused: %s", async (_name, args, words) => {
    await expect(count(...args)).rejects.toThrow(words);
  });

  it("is not a prompt, which counts as it would be sent", async () => {
    const { requests, fetch } = server({ input_tokens: 17 });
    expect(await countTokens(model, "Hello", { apiKey: "key", fetch })).toEqual({ tokens: 17, source: "provider" });
    expect(requests[0]?.body["messages"]).toMatchObject([{ role: "user" }]);
  });
});
