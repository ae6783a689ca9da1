/** Options that a request leaves out: each is named in a diagnostic of the message. */
import { type AssistantMessage, type Model, type SimpleStreamOptions, streamSimple } from "pi-ai";
import { describe, expect, it } from "vitest";
import { adapterOf } from "./protocols/adapters.internal.js";
import { API_TESTS } from "./protocols/all-apis.js";
import { OPTION_SETTINGS, type RequestOption } from "./sent-options.js";
import { captureRequest } from "./support/capture-request.js";

/** Options that shape the answer, or are recorded with it. What is left out of the others changes no answer. */
const NAMED: readonly RequestOption[] = ["temperature", "maxTokens", "metadata", "reasoning", "toolChoice"];

const MODEL: Model = {
  id: "model",
  name: "Model",
  api: "openai-completions",
  provider: "example",
  baseUrl: "https://example.com",
  reasoning: true,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 64_000,
};

function omittedIn({ diagnostics = [] }: AssistantMessage): unknown[] {
  return diagnostics.filter(({ type }) => type === "option_omitted").map(({ details }) => details);
}

async function ask(
  fields: Partial<Model>,
  options: SimpleStreamOptions,
): Promise<{ body: object; omitted: unknown[] }> {
  const context = { messages: [{ role: "user" as const, content: "Hi", timestamp: 0 }] };
  const { body, message } = await captureRequest({ ...MODEL, ...fields }, context, { ...options }, streamSimple);
  return { body, omitted: omittedIn(message) };
}

describe("options without a field in the api", () => {
  it.each(API_TESTS.map((tests) => [tests.api, tests] as const))("%s names each of them", (api, { sentOptions }) => {
    const unsent = NAMED.filter((name) => !sentOptions[name]);
    expect(adapterOf(api).omits ?? []).toEqual(expect.arrayContaining(unsent));
    const wrong = (adapterOf(api).omits ?? []).filter(
      (name) => name in OPTION_SETTINGS && sentOptions[name as RequestOption],
    );
    expect(wrong).toEqual([]);
  });

  it("are named once in the message, and only if they are set", async () => {
    const metadata = { user_id: "u" };
    const model = { api: "openai-responses", reasoning: false } as const;
    const { omitted } = await ask(model, { metadata });
    expect(omitted).toEqual([{ name: "metadata", reason: "no_field_in_api" }]);
    expect((await ask(model, {})).omitted).toEqual([]);
  });

  it("include the limit of a server that takes none, and budgets that the server cannot read", async () => {
    const limited = { api: "openai-responses", compat: { supportsMaxOutputTokens: false } } as const;
    expect((await ask(limited, { maxTokens: 100 })).omitted).toEqual([
      { name: "maxTokens", reason: "no_field_in_api" },
    ]);
    const budget = { reasoning: "low", thinkingBudgets: { low: 3000 } } as const;
    const omitted = [{ name: "thinkingBudgets", reason: "no_field_in_api" }];
    expect((await ask({}, budget)).omitted).toEqual(omitted);
    const reads = await ask({ compat: { thinkingTokenBudgetField: "thinking_budget" } }, budget);
    expect(reads).toMatchObject({ body: { thinking_budget: 3000 }, omitted: [] });
  });
});

describe("thinking of a model that cannot think", () => {
  it.each(["openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai"])(
    "is named: %s",
    async (api) => {
      const { omitted } = await ask({ api, reasoning: false }, { reasoning: "high" });
      expect(omitted).toEqual([{ name: "reasoning", reason: "model_cannot_think" }]);
    },
  );
});

describe("temperature", () => {
  const NAME = { name: "temperature" };
  const always = [{ ...NAME, reason: "refused_by_model" }];
  const thinking = [{ ...NAME, reason: "refused_while_thinking" }];
  const at = (api: string, id: string, fields: Partial<Model> = {}): Partial<Model> => ({ api, id, ...fields });

  it.each([
    ["a chat host", "openai-completions", { compat: { supportsReasoningEffort: false } }],
    ["Grok 4", "openai-responses", { id: "grok-4", provider: "xai", baseUrl: "https://api.x.ai/v1" }],
  ] as const)("names a level that %s has no field for", async (_, api, fields) => {
    const { body, omitted } = await ask({ ...fields, api }, { reasoning: "high" });
    expect(JSON.stringify(body)).not.toContain("high");
    expect(omitted).toEqual([{ name: "reasoning", reason: "no_field_in_api" }]);
  });

  it.each([
    ["anthropic.claude-opus-5-5", []],
    ["openai.gpt-6-sol", []],
    ["moonshot.kimi-k4", [{ name: "reasoning", reason: "no_field_in_api" }]],
    ["zai.glm-6", [{ name: "reasoning", reason: "no_field_in_api" }]],
  ] as const)("names a level that Bedrock has no field for: %s", async (id, omitted) => {
    expect((await ask(at("bedrock-converse-stream", id), { reasoning: "high" })).omitted).toEqual(omitted);
  });

  it.each([
    ["Claude 4.7", at("anthropic-messages", "claude-opus-4-7"), {}, always],
    ["Claude 4.7 on Bedrock", at("bedrock-converse-stream", "anthropic.claude-opus-4-7"), {}, always],
    ["Claude 4.7 behind a router", at("openai-completions", "anthropic/claude-opus-4.7"), {}, always],
    ["a Claude that nobody knows", at("anthropic-messages", "claude-opus-6"), {}, always],
    ["Claude 4.5 that thinks", at("anthropic-messages", "claude-opus-4-5"), { reasoning: "low" }, thinking],
    ["GPT-5.4 that thinks", at("openai-responses", "gpt-5.4"), { reasoning: "low" }, thinking],
    ["GPT-7 that thinks", at("openai-responses", "gpt-7"), { reasoning: "low" }, thinking],
    ["GPT behind a router", at("openai-completions", "openai/gpt-6-sol"), { reasoning: "low" }, thinking],
    [
      "GPT on Azure",
      at("azure-openai-responses", "gpt-5.6-sol", { baseUrl: "https://x.openai.azure.com" }),
      { reasoning: "high" },
      thinking,
    ],
    [
      "GPT-6.1, which always thinks",
      at("openai-responses", "gpt-6.1-sol", { thinkingLevelMap: { off: null } }),
      {},
      thinking,
    ],
    ["o3", at("openai-responses", "o3", { thinkingLevelMap: { off: null } }), {}, thinking],
    ["GPT on Bedrock", at("bedrock-converse-stream", "openai.gpt-6-sol"), { reasoning: "low" }, thinking],
    ["GPT on Bedrock, which thinks by default", at("bedrock-converse-stream", "openai.gpt-6-sol"), {}, thinking],
    ["GPT-7 on the wire of Anthropic", at("anthropic-messages", "openai/gpt-7"), {}, thinking],
    ["Kimi K3 at Moonshot", at("openai-completions", "kimi-k3", { provider: "moonshotai" }), {}, always],
  ] as const)("is left out and named: %s", async (_, model, options, omitted) => {
    const sent = await ask(model, { ...options, temperature: 0.5 });
    expect(sent.omitted).toEqual(omitted);
    expect(JSON.stringify(sent.body)).not.toContain('"temperature"');
  });

  it.each([
    ["Claude 4.5", at("anthropic-messages", "claude-opus-4-5"), {}],
    ["GPT-5.4 without thinking", at("openai-responses", "gpt-5.4"), {}],
    ["GPT-5 that cannot think", at("openai-responses", "gpt-5-chat-latest", { reasoning: false }), {}],
    ["GPT-4.1", at("openai-responses", "gpt-4.1", { reasoning: false }), {}],
    ["gpt-oss", at("openai-completions", "openai/gpt-oss-120b"), { reasoning: "low" }],
    ["Kimi K3 elsewhere", at("openai-completions", "moonshotai/Kimi-K3"), {}],
    ["Gemini 3", at("google-generative-ai", "gemini-3-flash"), { reasoning: "low" }],
    ["a model of no family", at("openai-completions", "model"), { reasoning: "low" }],
  ] as const)("is sent: %s", async (_, model, options) => {
    const sent = await ask(model, { ...options, temperature: 0.5 });
    expect(JSON.stringify(sent.body)).toContain('"temperature":0.5');
    expect(sent.omitted).toEqual([]);
  });
});
