/** A model that does not exist yet gets the levels and the request of the newest model of its family, at every host. */
import { getModel, getSupportedThinkingLevels, type Model, type SimpleStreamOptions } from "pi-ai";
import { expect, test } from "vitest";
import { adapterOf } from "./protocols/adapters.internal.js";

/** The newest model of a family at a host, and ids that may come. */
const FUTURE: readonly (readonly [string, string, readonly string[]])[] = [
  ["openai", "gpt-6.2-sol", ["gpt-6.3", "gpt-7-mini", "gpt-6.10-nova", "gpt-6.3-sol-2027-01-14", "ft:gpt-7:acme::a1"]],
  ["azure", "gpt-6.2-sol", ["gpt-7", "prod-gpt-6.4", "GPT_6.3"]],
  ["openrouter", "openai/gpt-6.2-sol", ["openai/gpt-7:free", "openai/gpt-6.5-mini:batch", "~openai/gpt-8-pro"]],
  ["anthropic", "claude-opus-5-5", ["claude-opus-6", "claude-opus-5-5@20261201", "claude-sonnet-6-20270101"]],
  ["anthropic", "claude-haiku-5-5", ["claude-haiku-5-5@20261101", "claude-haiku-6", "claude-haiku-5-7-20270101"]],
  ["anthropic", "claude-fable-5-2", ["claude-fable-6", "claude-mythos-6-1", "claude-saga-1"]],
  [
    "amazon-bedrock",
    "us.anthropic.claude-opus-5-5",
    [
      "us.anthropic.claude-opus-6-v1:0",
      "apac.anthropic.claude-sonnet-6-20270101-v1:0",
      "arn:aws:bedrock:us-east-1:123456789012:inference-profile/eu.anthropic.claude-opus-6-v2:0",
    ],
  ],
  ["openrouter", "anthropic/claude-opus-5.5", ["anthropic/claude-opus-6:free", "anthropic/claude-sonnet-5.7"]],
  [
    "google",
    "gemini-4-hydrogen",
    ["gemini-4.1-pro", "gemini-5-flash", "models/gemini-5-pro", "gemini-4-xenon-preview"],
  ],
  ["google-vertex", "gemini-4-hydrogen", ["gemini-5-flash@001", "publishers/google/models/gemini-4.5-pro"]],
  ["moonshotai", "kimi-k3.1-pro", ["kimi-k3.2", "kimi-k4-turbo", "moonshotai/Kimi-K3.5", "k4"]],
  ["xai", "grok-4.5", ["grok-5", "grok-4.7-fast", "x-ai/grok-5:free", "grok-5-mini"]],
  ["zai", "glm-5.3", ["glm-6", "glm-5.4-air", "zai-org/GLM-6", "glm-5p5"]],
  [
    "deepseek",
    "deepseek-flash",
    ["deepseek-v5", "deepseek-v4.2-pro", "deepseek-ai/DeepSeek-V5", "deepseek/deepseek-v5:free"],
  ],
  ["qwen-token-plan", "qwen4-max-preview", ["qwen4-max", "qwen4.1-max", "Qwen/Qwen5-Max", "qwen3.9-max-2027-01-01"]],
  ["mistral", "mistral-large-4", ["mistral-large-5", "mistral-large-2701", "mistralai/mistral-large-4.1"]],
  ["minimax", "MiniMax-M3.1-Flash", ["MiniMax-M4", "minimax/minimax-m5:free", "MiniMax-M3.5"]],
  ["xiaomi", "mimo-v2.6-pro", ["mimo-v3-pro", "XiaomiMiMo/MiMo-V4", "mimo-v3.1-flash[1m]"]],
];

const OPTIONS: readonly SimpleStreamOptions[] = [
  { maxTokens: 1000, temperature: 0.5 },
  { topP: 0.5, seed: 1, stopSequences: ["x"], serviceTier: "standard", verbosity: "low", parallelToolCalls: false },
  ...(["minimal", "medium", "xhigh", "max"] as const).map((reasoning) => ({
    reasoning,
    toolChoice: "required" as const,
  })),
];

/** What is sent, without the id, and what is said about it. */
function requestsTo(model: Model): unknown {
  const adapter = adapterOf(model.api);
  return OPTIONS.map((simple) => {
    const options = adapter.simpleOptions(model, { cacheRetention: "long", sessionId: "s", ...simple });
    const context = {
      systemPrompt: "Be kind.",
      messages: [{ role: "user" as const, content: "Hi", timestamp: 0 }],
      tools: [{ name: "look", description: "Looks.", parameters: { type: "object", properties: {} } }],
    };
    const placed = { ...model, baseUrl: model.baseUrl || "https://team.openai.azure.com/openai/v1" };
    const { body, headers, notes } = adapter.buildRequest({
      model: placed,
      context,
      options,
      apiKey: "key",
      keyIsBearer: false,
    });
    return { body: { ...Object(body), model: "" }, headers, notes };
  });
}

const CASES = FUTURE.flatMap(([provider, newest, ids]) => ids.map((id) => [provider, newest, id] as const));

test.each(CASES)("%s: like %s is %s", (provider, newest, id) => {
  // By the catalogue's own types, a name that is not a literal may be none of its models.
  const known: Model | undefined = getModel(provider as string, newest as string);
  if (!known) throw new Error(`${provider} has no ${newest}`);
  const { thinkingLevelMap, ...plain } = known;
  const model: Model = { ...plain, id, name: id };
  expect(requestsTo(model)).toEqual(requestsTo(plain));
  // OpenRouter translates levels, so its rows have more of them.
  if (thinkingLevelMap?.minimal === null && provider !== "openrouter")
    expect(getSupportedThinkingLevels(model)).toEqual(getSupportedThinkingLevels(known));
  else expect(getSupportedThinkingLevels(model)).toEqual(getSupportedThinkingLevels(plain));
});

test("a deployment is known by its name", () => {
  const known = getModel("azure", "gpt-6.2-sol");
  const { thinkingLevelMap: _, ...plain } = known;
  const model: Model = { ...plain, id: "team-chat-eu", name: "GPT-6.3 Sol" };
  expect(getSupportedThinkingLevels(model)).toEqual(getSupportedThinkingLevels(known));
  expect(requestsTo(model)).toEqual(requestsTo(plain));
});
