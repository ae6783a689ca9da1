/** Flags for servers that speak a protocol with differences. A flag that is not given comes from the compatibility table. */

/** How a chat completions server is told to think. */
export type ThinkingFormat =
  | "openai"
  | "openrouter"
  | "deepseek"
  | "together"
  | "baseten"
  | "zai"
  | "qwen"
  | "qwen-chat-template"
  | "chat-template"
  | "string-thinking"
  | "ant-ling";

/** OpenRouter's provider selection, sent as `provider` (https://openrouter.ai/docs/features/provider-routing). */
export interface OpenRouterRouting {
  /** Whether other providers may answer when the first cannot. OpenRouter's default: true. */
  allow_fallbacks?: boolean;
  /** Only providers that understand every field of the request. */
  require_parameters?: boolean;
  /** Whether providers that store prompts may be used. OpenRouter's default: `"allow"`. */
  data_collection?: "allow" | "deny";
  /** Only endpoints with zero data retention. */
  zdr?: boolean;
  /** Only models whose text may be used for distillation. */
  enforce_distillable_text?: boolean;
  /** Providers to try, in this order. */
  order?: string[];
  /** The only providers that may answer. */
  only?: string[];
  /** Providers that may not answer. */
  ignore?: string[];
  /** Allowed precisions, `"fp8"` for example. */
  quantizations?: string[];
  /** What to prefer: `"price"`, `"throughput"` or `"latency"`. */
  sort?: string | { by?: string; partition?: string | null };
  /** Highest prices: US dollars for one million tokens (`prompt`, `completion`), for one image, or for one request. */
  max_price?: {
    prompt?: number | string;
    completion?: number | string;
    image?: number | string;
    audio?: number | string;
    request?: number | string;
  };
  /** Tokens a second, overall or by percentile; slower providers come last. */
  preferred_min_throughput?: number | { p50?: number; p75?: number; p90?: number; p99?: number };
  /** Seconds, overall or by percentile; slower providers come last. */
  preferred_max_latency?: number | { p50?: number; p75?: number; p90?: number; p99?: number };
}

/** Vercel AI Gateway's provider selection, sent as `providerOptions.gateway`. */
export interface VercelGatewayRouting {
  /** The only providers that may answer. */
  only?: string[];
  /** Providers to try, in this order. */
  order?: string[];
}

/** Differences between servers that speak OpenAI's chat completions. */
export interface OpenAICompletionsCompat {
  /** Send `store: false`. */
  supportsStore?: boolean;
  /** Send the system prompt of a reasoning model in the role `developer`. */
  supportsDeveloperRole?: boolean;
  /** Send `reasoning_effort`. */
  supportsReasoningEffort?: boolean;
  /** Send `stream_options.include_usage`. Default true. */
  supportsUsageInStreaming?: boolean;
  /** The server sends a `finish_reason`; where false, the end marker alone ends an answer. Default true. */
  supportsFinishReason?: boolean;
  /** The field that limits the answer. Default `max_completion_tokens`. */
  maxTokensField?: "max_completion_tokens" | "max_tokens";
  /** Add `name` to tool messages. */
  requiresToolResultName?: boolean;
  /** Put an assistant message between a tool result and a user message. */
  requiresAssistantAfterToolResult?: boolean;
  /** Send `""` instead of `null` as the content of an assistant message that only calls tools. */
  requiresNonNullAssistantContent?: boolean;
  /** Send earlier thinking as a leading text part. */
  requiresThinkingAsText?: boolean;
  /** Send `reasoning_content: ""` with replayed assistant messages that have none. */
  requiresReasoningContentOnAssistantMessages?: boolean;
  /** Send `tools: []` when the history has tool calls but the request has no tools. Default true. */
  requiresToolsWithToolHistory?: boolean;
  /** How thinking is switched on and off. Default `openai`. */
  thinkingFormat?: ThinkingFormat;
  /** Extra fields of `chat_template_kwargs`, for the formats that use it. */
  chatTemplateKwargs?: Record<string, unknown>;
  /** Extra fields of `chat_template_args`, for servers that name it so. */
  chatTemplateArgs?: Record<string, unknown>;
  /** The field that takes a thinking budget in tokens. */
  thinkingTokenBudgetField?: string;
  /** Send a thinking budget where a level has one. */
  supportsThinkingTokenBudget?: boolean;
  /** Which providers behind OpenRouter may answer. */
  openRouterRouting?: OpenRouterRouting;
  /** Which providers behind Vercel's gateway may answer. */
  vercelGatewayRouting?: VercelGatewayRouting;
  /** Send `tool_stream: true` together with tools. */
  zaiToolStream?: boolean;
  /** Send `strict: false` with each function. Default true. */
  supportsStrictMode?: boolean;
  /** Put Anthropic's `cache_control` markers into the chat body. */
  cacheControlFormat?: "anthropic";
  /** Send headers with the session id, so that a router can find the cache again. */
  sendSessionAffinityHeaders?: boolean;
  /** Which of those headers. Default `openai`. */
  sessionAffinityFormat?: "openai" | "openai-nosession" | "openrouter";
  /** When to send `prompt_cache_key`. Default `auto`: for OpenAI itself, and for long retention where supported. */
  promptCacheKeyMode?: "auto" | "enabled" | "disabled";
  /** Ask for the longest cache time when `cacheRetention` is `long`. Default true. */
  supportsLongCacheRetention?: boolean;
  /** Sent as `priority` to vLLM servers. */
  vllmPriority?: number;
}

/** Differences between servers that speak OpenAI's Responses. */
export interface OpenAIResponsesCompat {
  /** Send the header `session_id`. Default true. */
  sendSessionIdHeader?: boolean;
  /** Which headers carry the session id. Default: by `sendSessionIdHeader`, `openai` or `openai-nosession`. */
  sessionAffinityFormat?: "openai" | "openai-nosession" | "openrouter";
  /** Send `prompt_cache_retention: "24h"` when `cacheRetention` is `long`. Default true. */
  supportsLongCacheRetention?: boolean;
  /** Send the system prompt of a reasoning model in the role `developer`. Default true. */
  supportsDeveloperRole?: boolean;
  /** Send `strict: false` with each function. Default true. */
  supportsStrictMode?: boolean;
  /** Send `max_output_tokens`. Default true. */
  supportsMaxOutputTokens?: boolean;
}

/** Differences between servers that speak Anthropic's Messages. */
export interface AnthropicMessagesCompat {
  /** Ask for eager tool input on each tool; where false, by the older beta header. Default true. */
  supportsEagerToolInputStreaming?: boolean;
  /** Ask for the one-hour cache when `cacheRetention` is `long`. Default true. */
  supportsLongCacheRetention?: boolean;
  /** Send the session id as `x-session-affinity`. */
  sendSessionAffinityHeaders?: boolean;
  /** Send it in these headers instead. */
  sessionAffinityFormat?: "openai" | "openai-nosession" | "openrouter";
  /** Put a cache marker on the last tool. Default true. */
  supportsCacheControlOnTools?: boolean;
  /** Send `temperature`. Default true. */
  supportsTemperature?: boolean;
  /** The model decides itself how long to think; it takes an effort instead of a budget. */
  forceAdaptiveThinking?: boolean;
  /** Replay thinking whose signature is empty. */
  allowEmptySignature?: boolean;
}

/** Differences between models that speak Mistral's protocol. */
export interface MistralConversationsCompat {
  /** Thinking is asked for by `reasoning_effort` or by `prompt_mode`. Default: by the model. */
  reasoningControl?: "effort" | "mode";
}
