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
export type { Context, Tool } from "./types/context.js";
export type { ContextInput, MessageInput, SystemMessageInput } from "./types/context-input.js";
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
  CacheLifetime,
  Citation,
  CompactionContent,
  ConversationBase,
  DiagnosticErrorInfo,
  ErrorInfo,
  ErrorKind,
  FileContent,
  ImageContent,
  Message,
  ResponseContainer,
  ServerToolContent,
  StopReason,
  SystemMessage,
  TextContent,
  TextSignatureV1,
  ThinkingContent,
  ToolCall,
  ToolReference,
  ToolResultMessage,
  Usage,
  UsageCost,
  UserBlock,
  UserMessage,
} from "./types/message.js";
export type {
  Api,
  KnownApi,
  Model,
  ModelCompat,
  ModelCost,
  ModelLifecycle,
  ModelPrice,
  ModelPriceChange,
  ModelPriceTier,
  ModelThinkingLevel,
  Provider,
  ThinkingBudgets,
  ThinkingLevel,
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
export type { StandardInput, StandardSchema } from "./types/standard-schema.js";
export type { ToolArguments } from "./types/tool-arguments.js";
