/**
 * Flags for servers whose wire format differs from the standard. A flag that is not set comes from the compatibility
 * table.
 */

/**
 * How a chat completions server expects thinking to be requested. `local`, the default on a loopback address: as
 * `reasoning_effort`, and off by the variable `enable_thinking` of the chat template, unless the model has a
 * `thinkingLevelMap`.
 */
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
  | "local"
  | "string-thinking"
  | "ant-ling";

/** OpenRouter's provider selection, sent as `provider` (https://openrouter.ai/docs/features/provider-routing). */
export interface OpenRouterRouting {
  /** Whether another provider may respond if the first cannot. OpenRouter's default: true. */
  allow_fallbacks?: boolean;
  /** Use only providers that support every field of the request. */
  require_parameters?: boolean;
  /** Whether providers that store prompts may be used. OpenRouter's default: `"allow"`. */
  data_collection?: "allow" | "deny";
  /** Use only endpoints with zero data retention. */
  zdr?: boolean;
  /** Use only models whose output may be used for distillation. */
  enforce_distillable_text?: boolean;
  /** Providers to try, in this order. */
  order?: string[];
  /** The only providers that may be used. */
  only?: string[];
  /** Providers that must not be used. */
  ignore?: string[];
  /** Allowed precisions, such as `"fp8"`. */
  quantizations?: string[];
  /** The aim of the choice: `"price"`, `"throughput"` or `"latency"`. */
  sort?: string | { by?: string; partition?: string | null };
  /** Maximum prices: US dollars per million tokens (`prompt`, `completion`), per image, or per request. */
  max_price?: {
    prompt?: number | string;
    completion?: number | string;
    image?: number | string;
    audio?: number | string;
    request?: number | string;
  };
  /** Minimum tokens per second, overall or by percentile; slower providers are tried last. */
  preferred_min_throughput?: number | { p50?: number; p75?: number; p90?: number; p99?: number };
  /** Maximum latency in seconds, overall or by percentile; slower providers are tried last. */
  preferred_max_latency?: number | { p50?: number; p75?: number; p90?: number; p99?: number };
}

/** Vercel AI Gateway's provider selection, sent as `providerOptions.gateway`. */
export interface VercelGatewayRouting {
  /** The only providers that may be used. */
  only?: string[];
  /** Providers to try, in this order. */
  order?: string[];
}

/** Differences between servers that implement OpenAI's Chat Completions API. */
export interface OpenAICompletionsCompat {
  /** Send `store: false`. */
  supportsStore?: boolean;
  /**
   * Send the system prompt of a reasoning model in the role `developer`. A model that does not think gets `system`
   * whatever this says, unless its host is known to take only `developer`.
   */
  supportsDeveloperRole?: boolean;
  /** Send `reasoning_effort`. */
  supportsReasoningEffort?: boolean;
  /** Send `parallel_tool_calls: false` if a tool may be called only once, as the tool of a typed output. */
  supportsParallelToolCalls?: boolean;
  /** The server counts tokens for `countTokens`, at `/chat/completions/input_tokens` or `/tokenize`. */
  supportsTokenCounting?: boolean;
  /** Send `stream_options.include_usage`. Default true. */
  supportsUsageInStreaming?: boolean;
  /** The server sends a `finish_reason`. If false, the end marker alone completes a response. Default true. */
  supportsFinishReason?: boolean;
  /** The field that limits the length of the response. Default `max_completion_tokens`. */
  maxTokensField?: "max_completion_tokens" | "max_tokens";
  /** Add `name` to tool messages. */
  requiresToolResultName?: boolean;
  /** Put an assistant message between a tool result and a user message. */
  requiresAssistantAfterToolResult?: boolean;
  /**
   * Join neighbouring messages of one role, and put an assistant message between a tool result and a user message. Many
   * chat templates reject other orders, which a failed or aborted response leaves behind. Default: by host and model; and
   * once, after the server has refused a request for that reason.
   */
  requiresAlternatingRoles?: boolean;
  /** Send `""` instead of `null` as the content of an assistant message that contains only tool calls. */
  requiresNonNullAssistantContent?: boolean;
  /** Send earlier thinking as a leading text part. */
  requiresThinkingAsText?: boolean;
  /** Replay a response that holds only thinking. Default: on a server on this machine. */
  supportsThinkingOnlyMessages?: boolean;
  /** Send `reasoning_content: ""` with replayed assistant messages that have none. */
  requiresReasoningContentOnAssistantMessages?: boolean;
  /**
   * Send `tools: []` when the history has tool calls but the request has no tools. Default: only to LiteLLM with Claude;
   * most servers refuse an empty list.
   */
  requiresToolsWithToolHistory?: boolean;
  /** How thinking is enabled and disabled. Default `openai`. */
  thinkingFormat?: ThinkingFormat;
  /** Extra fields of `chat_template_kwargs`, for the thinking formats that use it. */
  chatTemplateKwargs?: Record<string, unknown>;
  /** Extra fields of `chat_template_args`, for servers that use this name. */
  chatTemplateArgs?: Record<string, unknown>;
  /** The field that takes a thinking budget, in tokens. */
  thinkingTokenBudgetField?: string;
  /** Send a thinking budget if the level has one. */
  supportsThinkingTokenBudget?: boolean;
  /** Which providers OpenRouter may route to. */
  openRouterRouting?: OpenRouterRouting;
  /** Which providers Vercel AI Gateway may route to. */
  vercelGatewayRouting?: VercelGatewayRouting;
  /** Send `tool_stream: true` together with tools. */
  zaiToolStream?: boolean;
  /** Send `strict: false` with each function. Default true. */
  supportsStrictMode?: boolean;
  /** Add Anthropic's `cache_control` markers to the chat body. */
  cacheControlFormat?: "anthropic";
  /** Send headers with the session id, so that a router can find the cache again. */
  sendSessionAffinityHeaders?: boolean;
  /** Which of those headers to send. Default `openai`. */
  sessionAffinityFormat?: "openai" | "openai-nosession" | "openrouter";
  /** When to send `prompt_cache_key`. Default `auto`: to OpenAI itself, and for long retention if supported. */
  promptCacheKeyMode?: "auto" | "enabled" | "disabled";
  /** Request the longest cache time when `cacheRetention` is `long`. Default true. */
  supportsLongCacheRetention?: boolean;
  /** The `priority` that is sent to vLLM servers. */
  vllmPriority?: number;
  /** The model can respond in the native mode for JSON Schema, `response_format`. Default: by provider and model. */
  supportsJsonSchema?: boolean;
}

/** Differences between servers that implement OpenAI's Responses API. */
export interface OpenAIResponsesCompat {
  /** Send the header `session_id`. Default true. */
  sendSessionIdHeader?: boolean;
  /** Which headers carry the session id. Default: `openai` or `openai-nosession`, as `sendSessionIdHeader` says. */
  sessionAffinityFormat?: "openai" | "openai-nosession" | "openrouter";
  /**
   * Ask for the longest cache time when `cacheRetention` is `long`: by `prompt_cache_options`, to models before GPT-5.6 by
   * `prompt_cache_retention`. Default true.
   */
  supportsLongCacheRetention?: boolean;
  /**
   * Join neighbouring messages of one role, and put an assistant message between a tool result and a user message. Many
   * chat templates reject other orders, which a failed or aborted response leaves behind. Default: by host and model; and
   * once, after the server has refused a request for that reason.
   */
  requiresAlternatingRoles?: boolean;
  /**
   * Send the system prompt of a reasoning model in the role `developer`. A model that does not think gets `system`
   * whatever this says. Default true.
   */
  supportsDeveloperRole?: boolean;
  /** Send `strict: false` with each function. Default true. */
  supportsStrictMode?: boolean;
  /** Send `max_output_tokens`. Default true. */
  supportsMaxOutputTokens?: boolean;
  /** The server enforces the JSON Schema of `text.format`. Default: by provider and model; false on a loopback address. */
  supportsJsonSchema?: boolean;
}

/** Differences between servers that implement Anthropic's Messages API. */
export interface AnthropicMessagesCompat {
  /** Request eager tool input on each tool. If false, use the older beta header. Default true. */
  supportsEagerToolInputStreaming?: boolean;
  /** Request the one-hour cache when `cacheRetention` is `long`. Default true. */
  supportsLongCacheRetention?: boolean;
  /** Send the session id as `x-session-affinity`. */
  sendSessionAffinityHeaders?: boolean;
  /** The headers that carry the session id instead. */
  sessionAffinityFormat?: "openai" | "openai-nosession" | "openrouter";
  /** Put a cache marker on the last tool. Default true. */
  supportsCacheControlOnTools?: boolean;
  /** Send `temperature`. Default true. */
  supportsTemperature?: boolean;
  /** The model decides how long to think. It takes an effort instead of a budget. */
  forceAdaptiveThinking?: boolean;
  /**
   * Ask the server to drop earlier thinking whose prefix has changed, instead of rejecting the request:
   * `thinking.block_binding` and its beta feature. Default: on models with preserved thinking, at Anthropic.
   */
  supportsBlockBinding?: boolean;
  /**
   * Join neighbouring messages of one role, and put an assistant message between a tool result and a user message. Many
   * chat templates reject other orders, which a failed or aborted response leaves behind. Default: by host and model; and
   * once, after the server has refused a request for that reason.
   */
  requiresAlternatingRoles?: boolean;
  /**
   * Replay thinking without a signature as thinking. Default: if the server ended the thinking without a signature, and
   * does not sign the thinking of this model.
   */
  allowEmptySignature?: boolean;
}

/** Differences between models of Mistral's API. */
export interface MistralConversationsCompat {
  /** Whether thinking is requested by `reasoning_effort` or by `prompt_mode`. Default: depends on the model. */
  reasoningControl?: "effort" | "mode";
}
