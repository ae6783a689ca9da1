/** Every compatibility flag changes what is sent or how an answer is read. The tables are complete: a flag without a row is a type error. */
import { describe, expect, test } from "vitest";
import { AssistantMessageBuilder } from "../src/assemble/assistant-message-builder.js";
import type { ApiAdapter } from "../src/runtime/api-adapter.js";
import type {
  AnthropicMessagesCompat,
  MistralConversationsCompat,
  OpenAICompletionsCompat,
  OpenAIResponsesCompat,
} from "../src/types/compat.js";
import type { Message } from "../src/types/message.js";
import type { Model } from "../src/types/model.js";
import type { SimpleStreamOptions } from "../src/types/options.js";
import { DONE } from "../src/wire/json-events.js";
import { TOOLS } from "./handoff/check-handoff.js";
import { IMAGE, user } from "./handoff/conversations.js";
import { PARTIES } from "./handoff/parties.js";
import { createResponse } from "./messages.js";

/** Two values that have to make a difference, and the flags without which they could not. */
interface FlagCase<TCompat> {
  values: [unknown, unknown];
  beside?: TCompat;
}

type FlagTable<TCompat> = Record<keyof Required<TCompat>, FlagCase<TCompat>>;

const ON_OFF: { values: [unknown, unknown] } = { values: [true, false] };

const COMPLETIONS: FlagTable<OpenAICompletionsCompat> = {
  supportsStore: ON_OFF,
  supportsDeveloperRole: ON_OFF,
  supportsReasoningEffort: ON_OFF,
  supportsUsageInStreaming: ON_OFF,
  supportsFinishReason: ON_OFF,
  maxTokensField: { values: ["max_completion_tokens", "max_tokens"] },
  requiresToolResultName: ON_OFF,
  requiresAssistantAfterToolResult: ON_OFF,
  requiresNonNullAssistantContent: ON_OFF,
  requiresThinkingAsText: ON_OFF,
  requiresReasoningContentOnAssistantMessages: ON_OFF,
  requiresToolsWithToolHistory: ON_OFF,
  thinkingFormat: { values: ["openai", "openrouter"] },
  chatTemplateKwargs: { values: [{ a: 1 }, { a: 2 }], beside: { thinkingFormat: "chat-template" } },
  chatTemplateArgs: { values: [{ a: 1 }, { a: 2 }], beside: { thinkingFormat: "baseten" } },
  thinkingTokenBudgetField: { values: ["thinking_budget", "budget"], beside: { supportsThinkingTokenBudget: true } },
  supportsThinkingTokenBudget: { ...ON_OFF, beside: { thinkingTokenBudgetField: "thinking_budget" } },
  openRouterRouting: { values: [{ order: ["a"] }, { order: ["b"] }] },
  vercelGatewayRouting: { values: [{ order: ["a"] }, { order: ["b"] }] },
  zaiToolStream: ON_OFF,
  supportsStrictMode: ON_OFF,
  cacheControlFormat: { values: ["anthropic", undefined] },
  sendSessionAffinityHeaders: ON_OFF,
  sessionAffinityFormat: { values: ["openai", "openrouter"], beside: { sendSessionAffinityHeaders: true } },
  promptCacheKeyMode: { values: ["enabled", "disabled"] },
  supportsLongCacheRetention: ON_OFF,
  vllmPriority: { values: [1, 2] },
};

const RESPONSES: FlagTable<OpenAIResponsesCompat> = {
  sendSessionIdHeader: ON_OFF,
  sessionAffinityFormat: { values: ["openai", "openrouter"] },
  supportsLongCacheRetention: ON_OFF,
  supportsDeveloperRole: ON_OFF,
  supportsStrictMode: ON_OFF,
  supportsMaxOutputTokens: ON_OFF,
};

const ANTHROPIC: FlagTable<AnthropicMessagesCompat> = {
  supportsEagerToolInputStreaming: ON_OFF,
  supportsLongCacheRetention: ON_OFF,
  sendSessionAffinityHeaders: ON_OFF,
  sessionAffinityFormat: { values: ["openai", "openrouter"], beside: { sendSessionAffinityHeaders: true } },
  supportsCacheControlOnTools: ON_OFF,
  supportsTemperature: ON_OFF,
  forceAdaptiveThinking: ON_OFF,
  allowEmptySignature: ON_OFF,
};

const MISTRAL: FlagTable<MistralConversationsCompat> = { reasoningControl: { values: ["effort", "mode"] } };

describe.each([
  ["openai-completions", COMPLETIONS],
  ["openai-responses", RESPONSES],
  ["anthropic-messages", ANTHROPIC],
  ["mistral-conversations", MISTRAL],
] as const)("%s", (api, table) => {
  const adapter = PARTIES.find((party) => party.adapter.api === api)?.adapter;

  test.each(Object.entries<FlagCase<object>>(table))("%s makes a difference", (flag, { values, beside }) => {
    const [one, other] = values.map((value) => observe(adapter, { ...beside, [flag]: value }));
    expect(one).not.toEqual(other);
  });
});

/** All that a flag can change: requests in several ways, and an answer without a finish reason. */
function observe(adapter: ApiAdapter | undefined, compat: object): unknown {
  if (!adapter) throw new Error("No adapter");
  const model: Model = {
    id: "model-1",
    name: "Model",
    api: adapter.api,
    provider: "somebody",
    baseUrl: "https://api.test/v1",
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    contextWindow: 100_000,
    maxTokens: 10_000,
    compat,
  };
  const requests = WAYS.map(({ tools, options }) => {
    const context = { systemPrompt: "You help.", messages: conversation(model), tools };
    const native = adapter.simpleOptions(model, options);
    const { headers, body } = adapter.buildRequest({
      model,
      context,
      options: native,
      apiKey: "key",
      keyIsBearer: false,
    });
    return JSON.stringify([headers, body]);
  });
  return [...requests, readUnfinished(adapter, model)];
}

const WAYS: readonly { tools: typeof TOOLS; options: SimpleStreamOptions }[] = [
  { tools: TOOLS, options: { reasoning: "high", sessionId: "s", maxTokens: 9000, thinkingBudgets: { high: 5000 } } },
  { tools: [], options: { temperature: 1, sessionId: "s", cacheRetention: "long" } },
];

function conversation({ api, provider, id: model }: Model): Message[] {
  const maker = { api, provider, model };
  const call = { type: "toolCall", id: "call12345", name: "read", arguments: {} } as const;
  const result = { toolCallId: call.id, toolName: call.name, content: [IMAGE], isError: false, timestamp: 0 };
  return [
    user("Hi"),
    createResponse({
      ...maker,
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Ha." },
      ],
    }),
    user("Go"),
    createResponse({ ...maker, content: [call], stopReason: "toolUse" }),
    { ...result, role: "toolResult", content: [{ type: "text", text: "a" }] },
    user("And?"),
  ];
}

function readUnfinished(adapter: ApiAdapter, model: Model): unknown {
  const request = { model, context: { messages: [] }, options: {}, apiKey: "key", keyIsBearer: false };
  const mapping = adapter.createMapping(request, { baseUrl: "", path: "", headers: {}, body: {} });
  const builder = new AssistantMessageBuilder({ model, emit: () => {}, timestamp: 0 });
  for (const event of [{ choices: [{ index: 0, delta: { content: "Hi" } }] }, DONE]) mapping(event, builder);
  return builder.stopped;
}
