/** The options with one field for each api: where each stands on the wire, what is left out and named, and what is refused. */
import {
  type AssistantMessage,
  complete,
  completeSimple,
  type Model,
  type SimpleStreamOptions,
  streamSimple,
  type Tool,
  Type,
} from "pi-ai";
import { describe, expect, it, test } from "vitest";
import { captureRequest } from "./support/capture-request.js";

const MODEL: Model = {
  id: "model",
  name: "Model",
  api: "openai-completions",
  provider: "example",
  baseUrl: "https://example.com",
  reasoning: true,
  input: ["text"],
  cost: { input: 10, output: 10, cacheRead: 10, cacheWrite: 10 },
  contextWindow: 200_000,
  maxTokens: 64_000,
};
const TOOL: Tool = { name: "read", description: "Reads.", parameters: Type.Object({}) };
const MESSAGES = [{ role: "user" as const, content: "Hi", timestamp: 0 }];
const ALL: SimpleStreamOptions = {
  stopSequences: ["END", "STOP"],
  topP: 0.5,
  seed: 7,
  parallelToolCalls: false,
  verbosity: "high",
  serviceTier: "priority",
};
const OPENAI = { provider: "openai", baseUrl: "https://api.openai.com/v1" };
const GROQ = { provider: "groq", baseUrl: "https://api.groq.com/openai/v1" };

function omitted({ diagnostics = [] }: AssistantMessage): string[] {
  const found = diagnostics.filter(({ type }) => type === "option_omitted");
  return found.map(({ details }) => `${details?.["name"]}: ${details?.["reason"]}`);
}

async function ask(fields: Partial<Model>, options: SimpleStreamOptions, tools: Tool[] = [TOOL]) {
  const context = { messages: MESSAGES, ...(tools.length > 0 ? { tools } : {}) };
  const { body, message } = await captureRequest({ ...MODEL, ...fields }, context, { ...options }, streamSimple);
  return { body, omitted: omitted(message) };
}

describe("each api has its own fields", () => {
  const none = (...names: string[]): string[] => names.map((name) => `${name}: no_field_in_api`);

  it.each([
    [
      "openai-completions",
      {},
      {
        stop: ["END", "STOP"],
        top_p: 0.5,
        seed: 7,
        parallel_tool_calls: false,
        verbosity: "high",
        service_tier: "priority",
      },
      [],
    ],
    [
      "openai-responses",
      {},
      { top_p: 0.5, parallel_tool_calls: false, text: { verbosity: "high" }, service_tier: "priority" },
      none("stopSequences", "seed"),
    ],
    [
      "azure-openai-responses",
      { baseUrl: "https://x.openai.azure.com" },
      { top_p: 0.5, parallel_tool_calls: false, text: { verbosity: "high" }, service_tier: "priority" },
      none("stopSequences", "seed"),
    ],
    [
      "anthropic-messages",
      {},
      {
        stop_sequences: ["END", "STOP"],
        top_p: 0.5,
        tool_choice: { type: "auto", disable_parallel_tool_use: true },
        service_tier: "auto",
      },
      none("seed", "verbosity"),
    ],
    [
      "google-generative-ai",
      {},
      { generationConfig: { stopSequences: ["END", "STOP"], topP: 0.5, seed: 7 }, serviceTier: "priority" },
      none("parallelToolCalls", "verbosity"),
    ],
    [
      "mistral-conversations",
      {},
      { stop: ["END", "STOP"], top_p: 0.5, random_seed: 7, parallel_tool_calls: false },
      none("verbosity", "serviceTier"),
    ],
    [
      "bedrock-converse-stream",
      {},
      { inferenceConfig: { stopSequences: ["END", "STOP"], topP: 0.5 }, serviceTier: { type: "priority" } },
      none("seed", "parallelToolCalls", "verbosity"),
    ],
  ] as const)("%s", async (api, fields, body, missing) => {
    const sent = await ask({ api, ...fields }, ALL);
    expect(sent.body).toMatchObject(body);
    expect(sent.omitted).toEqual(missing);
  });

  it.each([
    ["openai-completions", "service_tier", "default"],
    ["openai-responses", "service_tier", "default"],
    ["anthropic-messages", "service_tier", "standard_only"],
    ["google-generative-ai", "serviceTier", "standard"],
    ["bedrock-converse-stream", "serviceTier", { type: "default" }],
  ])("%s has its own word for the standard tier", async (api, field, word) => {
    expect((await ask({ api }, { serviceTier: "standard" })).body[field]).toEqual(word);
  });

  it.each([
    ["standard", "on_demand"],
    ["priority", "performance"],
    ["flex", "flex"],
    ["auto", "auto"],
  ])("a host may have words of its own: %s", async (serviceTier, word) => {
    expect((await ask(GROQ, { serviceTier })).body).toMatchObject({ service_tier: word });
  });

  test("a tier that the api does not sell is left out and named", async () => {
    expect((await ask({ api: "anthropic-messages" }, { serviceTier: "flex" })).omitted).toEqual(none("serviceTier"));
  });

  test("nothing is sent without tools that only concerns tools", async () => {
    for (const api of ["openai-completions", "openai-responses", "anthropic-messages", "mistral-conversations"]) {
      const { body, omitted: named } = await ask({ api }, { parallelToolCalls: false }, []);
      expect(JSON.stringify(body)).not.toContain("parallel");
      expect(named).toEqual([]);
    }
  });

  test("the choice of a tool stays beside it at Anthropic", async () => {
    const { body } = await ask({ api: "anthropic-messages" }, { parallelToolCalls: false, toolChoice: "required" });
    expect(body.tool_choice).toEqual({ type: "any", disable_parallel_tool_use: true });
    const off = await ask({ api: "anthropic-messages" }, { parallelToolCalls: false, toolChoice: "none" });
    expect(off.body.tool_choice).toEqual({ type: "none" });
  });

  test("an output format stays beside the verbosity", async () => {
    const outputFormat = { schema: { type: "object", properties: {}, additionalProperties: false } };
    const { body } = await ask(
      { api: "openai-responses", ...OPENAI, id: "gpt-6-sol" },
      { verbosity: "low", outputFormat },
    );
    expect(body.text).toMatchObject({ verbosity: "low", format: { type: "json_schema" } });
  });

  test("an empty list asks for nothing", async () => {
    expect((await ask({}, { stopSequences: [] })).body).not.toHaveProperty("stop");
  });
});

describe("what a family refuses is left out and named", () => {
  it.each([
    ["gpt-6-sol", "openai-completions", { stopSequences: ["END"] }, "stopSequences: refused_by_model"],
    ["gpt-5", "openai-responses", { topP: 0.5, reasoning: "low" }, "topP: refused_while_thinking"],
    ["gpt-4.1", "openai-responses", { verbosity: "low" }, "verbosity: refused_by_model"],
    ["o3", "openai-responses", { parallelToolCalls: false }, "parallelToolCalls: refused_by_model"],
    ["claude-opus-4-7", "anthropic-messages", { topP: 0.5 }, "topP: refused_by_model"],
    ["claude-opus-4-7", "openai-completions", { topP: 0.5 }, "topP: refused_by_model"],
    ["claude-sonnet-4-5", "anthropic-messages", { topP: 0.5, reasoning: "low" }, "topP: refused_while_thinking"],
    ["claude-sonnet-4-5", "anthropic-messages", { topP: 0.5, temperature: 0.5 }, "topP: refused_beside_temperature"],
    ["grok-4", "openai-completions", { stopSequences: ["END"] }, "stopSequences: refused_by_model"],
    ["mimo-v3-pro", "openai-completions", { topP: 0.5, reasoning: "high" }, "topP: refused_while_thinking"],
    [
      "mimo-v2.6-pro",
      "openai-completions",
      { temperature: 0, reasoning: "high" },
      "temperature: refused_while_thinking",
    ],
  ] as const)("%s on %s: %j", async (id, api, options, text) => {
    const sent = await ask({ id, api }, { ...options });
    expect(sent.omitted).toEqual([text]);
    expect(sent.body).not.toHaveProperty("stop");
    expect(sent.body).not.toHaveProperty("top_p");
  });

  test("MiMo samples as asked without thinking, and so does V2 Flash with it", async () => {
    const host = { provider: "xiaomi", baseUrl: "https://api.xiaomimimo.com/v1" };
    const sampling = { temperature: 0, topP: 0.5 };
    const off = await ask({ ...host, id: "mimo-v2.6-pro" }, sampling);
    expect(off).toMatchObject({ body: { temperature: 0, top_p: 0.5, thinking: { type: "disabled" } }, omitted: [] });
    const flash = await ask({ ...host, id: "mimo-v2-flash" }, { ...sampling, reasoning: "high" });
    expect(flash).toMatchObject({ body: { temperature: 0, top_p: 0.5, thinking: { type: "enabled" } }, omitted: [] });
  });

  test("GPT without thinking takes top_p", async () => {
    expect((await ask({ id: "gpt-6-sol", api: "openai-responses" }, { topP: 0.5 })).body.top_p).toBe(0.5);
  });
});

it("leaves out the blank stop sequences that Claude refuses", async () => {
  const blank = await ask({ id: "claude-sonnet-4-5", api: "anthropic-messages" }, { stopSequences: ["\n\n", "END"] });
  expect(blank.body).toMatchObject({ stop_sequences: ["END"] });
  expect(blank.omitted).toEqual(["stopSequences: refused_by_model"]);
  const none = await ask({ id: "claude-sonnet-4-5", api: "anthropic-messages" }, { stopSequences: [" "] });
  expect(none.body).not.toHaveProperty("stop_sequences");
  const other = await ask({}, { stopSequences: ["\n"] });
  expect(other).toMatchObject({ body: { stop: ["\n"] }, omitted: [] });
});

describe("bad values are an error before the request", () => {
  it.each([
    [{}, { stopSequences: ["a", ""] }, "stopSequences must be a list of texts that are not empty"],
    [{}, { stopSequences: "END" }, "stopSequences must be a list of texts that are not empty"],
    [OPENAI, { stopSequences: ["a", "b", "c", "d", "e"] }, "stopSequences: openai takes at most 4, got 5"],
    [GROQ, { stopSequences: ["a", "b", "c", "d", "e"] }, "stopSequences: groq takes at most 4, got 5"],
    [GROQ, { serviceTier: "gold" }, 'serviceTier: groq has no "gold", only auto, on_demand, flex, performance'],
    [
      { api: "google-generative-ai", provider: "google" },
      { stopSequences: ["a", "b", "c", "d", "e", "f"] },
      "stopSequences: google takes at most 5, got 6",
    ],
    [{}, { topP: 1.1 }, "topP must be a number from 0 to 1"],
    [{}, { seed: 0.5 }, "seed must be a whole number"],
    [{}, { parallelToolCalls: "no" }, "parallelToolCalls must be true or false"],
    [{}, { verbosity: "loud" }, 'verbosity must be "low", "medium" or "high"'],
    [{}, { serviceTier: "" }, 'serviceTier must be "flex", "standard", "priority" or the vendor\'s own word'],
    [
      { api: "anthropic-messages", provider: "anthropic" },
      { serviceTier: "turbo" },
      'serviceTier: anthropic has no "turbo", only auto, standard_only',
    ],
  ])("%j %j", async (fields, options, text) => {
    const fetch = () => Promise.reject(new Error("nothing may be sent"));
    // Untyped, as in JavaScript.
    const bad: object = { ...options, apiKey: "key", maxRetries: 0, fetch };
    const message = await completeSimple({ ...MODEL, ...fields }, { messages: MESSAGES, tools: [TOOL] }, bad);
    expect(message).toMatchObject({ stopReason: "error", errorMessage: text });
  });
});

describe("the price of a service tier", () => {
  const chat = (tier: string | undefined): string =>
    [
      { id: "1", model: "gpt-4.1", ...(tier && { service_tier: tier }), choices: [{ delta: { content: "Hi" } }] },
      {
        choices: [{ delta: {}, finish_reason: "stop" }],
        ...(tier && { service_tier: tier }),
        usage: { prompt_tokens: 1_000_000, completion_tokens: 0 },
      },
    ]
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .join("");
  const gemini = (tier: string | undefined): string =>
    `data: ${JSON.stringify({
      candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 1_000_000, candidatesTokenCount: 0, ...(tier && { serviceTier: tier }) },
    })}\n\n`;

  it.each([
    ["openai-completions", "flex", "flex", 5],
    ["openai-completions", "flex", "default", 10],
    ["openai-completions", "priority", undefined, 20],
    ["openai-completions", undefined, undefined, 10],
    ["google-generative-ai", "priority", "priority", 18],
    ["google-generative-ai", "priority", "standard", 10],
    ["google-generative-ai", "flex", undefined, 5],
  ] as const)("%s, asked for %s, answered by %s: %d dollars", async (api, asked, answered, dollars) => {
    const isChat = api === "openai-completions";
    const body = isChat ? `${chat(answered)}data: [DONE]\n\n` : gemini(answered);
    const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
    const model: Model = { ...MODEL, api, ...(isChat ? OPENAI : {}), id: isChat ? "gpt-4.1" : "gemini" };
    const options = { apiKey: "key", fetch, ...(asked && { serviceTier: asked }) };
    const message = await complete(model, { messages: MESSAGES }, options);
    expect(message.errorMessage).toBeUndefined();
    expect(message.usage.cost.total).toBeCloseTo(dollars, 9);
  });
});
