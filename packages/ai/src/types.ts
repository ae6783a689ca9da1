/** The types of the public API, under the path their users know. */
export type {
  AnthropicMessagesCompat,
  MistralConversationsCompat,
  OpenAICompletionsCompat,
  OpenAIResponsesCompat,
  OpenRouterRouting,
  ThinkingFormat,
  VercelGatewayRouting,
} from "./types/compat.js";
export type { Context, ContextInput, MessageInput, SystemMessageInput, Tool } from "./types/context.js";
export type {
  ClearThinking,
  ClearToolResults,
  ContextManagement,
  ServerCompaction,
} from "./types/context-management.js";
export type { AssistantMessageEvent } from "./types/event.js";
export type {
  AssistantBlock,
  AssistantImage,
  AssistantMessage,
  AssistantMessageDiagnostic,
  DiagnosticErrorInfo,
  ErrorInfo,
  ErrorKind,
  ImageContent,
  Message,
  StopReason,
  TextContent,
  TextSignatureV1,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  UserBlock,
  UserMessage,
} from "./types/message.js";
export type {
  Api,
  KnownApi,
  Model,
  ModelCompat,
  ModelCost,
  ModelPrice,
  ModelPriceTier,
  Provider,
  ThinkingLevelMap,
} from "./types/model.js";
export type {
  AssistantResponseStream,
  CacheRetention,
  OutputFormat,
  ProviderResponse,
  ProviderStreamOptions,
  ResponseLimits,
  SimpleStreamOptions,
  SimpleToolChoice,
  StreamFn,
  StreamFunction,
  StreamOptions,
  Transport,
} from "./types/options.js";
export type {
  CacheLifetime,
  Citation,
  CompactionContent,
  FileContent,
  ResponseContainer,
  ServerToolContent,
} from "./types/provider-content.js";
export type { StandardInput, StandardSchema } from "./types/standard-schema.js";
export type { ModelThinkingLevel, ThinkingBudgets, ThinkingLevel } from "./types/thinking.js";
export type { ToolArguments } from "./types/tool-arguments.js";
export type { Usage, UsageCost } from "./types/usage.js";
