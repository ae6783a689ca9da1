/**
 * One streaming API for every LLM provider.
 *
 * @module pi-ai
 */
import { registerBuiltInsOnce } from "./providers/register-builtins.js";

registerBuiltInsOnce();

export type { Static, TSchema } from "@sinclair/typebox";
export {
  type ApiProvider,
  type ApiStreamFunction,
  type ApiStreamSimpleFunction,
  clearApiProviders,
  getApiProvider,
  getApiProviders,
  registerApiProvider,
  unregisterApiProviders,
} from "./api-registry.js";
export { clampThinkingLevel, getSupportedThinkingLevels } from "./catalogue/thinking-levels.js";
export { findEnvKeys, getEnvApiKey } from "./env-api-keys.js";
export {
  AbortedError,
  ConfigError,
  NetworkError,
  PiError,
  ProtocolError,
  ProviderError,
} from "./errors.js";
export { type CostOptions, calculateCost } from "./message/cost.js";
export { type EventReader, EventStream } from "./message/event-stream.js";
export {
  AssistantMessageEventStream,
  createAssistantMessageEventStream,
  type StreamHooks,
} from "./message/response-stream.js";
export {
  getModel,
  getModels,
  getProviders,
  type KnownProvider,
  type ModelId,
  modelsAreEqual,
  type ProviderApi,
  registerModels,
} from "./models.js";
export type {
  OAuthAuthInfo,
  OAuthCredentials,
  OAuthLoginCallbacks,
  OAuthPrompt,
  OAuthProvider,
  OAuthProviderId,
  OAuthProviderInfo,
  OAuthProviderInterface,
  OAuthSelectOption,
  OAuthSelectPrompt,
} from "./oauth/oauth-types.js";
export {
  type AnthropicEffort,
  type AnthropicOptions,
  type AnthropicThinkingDisplay,
  type AzureOpenAIResponsesOptions,
  type BedrockOptions,
  type BedrockThinkingDisplay,
  type GoogleGeminiCliOptions,
  type GoogleOptions,
  type GoogleThinking,
  type GoogleThinkingLevel,
  type GoogleVertexOptions,
  type MistralOptions,
  type OpenAICodexResponsesOptions,
  type OpenAICompletionsOptions,
  type OpenAIResponsesOptions,
  type ResponsesToolChoice,
  streamAnthropic,
  streamAzureOpenAIResponses,
  streamBedrock,
  streamGoogle,
  streamGoogleGeminiCli,
  streamGoogleVertex,
  streamMistral,
  streamOpenAICodexResponses,
  streamOpenAICompletions,
  streamOpenAIResponses,
  streamSimpleAnthropic,
  streamSimpleAzureOpenAIResponses,
  streamSimpleBedrock,
  streamSimpleGoogle,
  streamSimpleGoogleGeminiCli,
  streamSimpleGoogleVertex,
  streamSimpleMistral,
  streamSimpleOpenAICodexResponses,
  streamSimpleOpenAICompletions,
  streamSimpleOpenAIResponses,
} from "./providers/named-streams.generated.js";
export { registerBuiltInApiProviders, resetApiProviders } from "./providers/register-builtins.js";
export {
  collapseSystemMessages,
  getCurrentSystemPrompt,
  getCurrentTools,
} from "./request/changes/system-messages.js";
export { createToolParameters, StringEnum, type StringEnumSchema } from "./request/validation/tool-parameters.js";
export { parseToolArguments, validateToolArguments, validateToolCall } from "./request/validation/validation.js";
export type { ApiOptions } from "./stream.js";
export { complete, completeSimple, stream, streamSimple } from "./stream.js";
export {
  type FauxContentBlock,
  type FauxMessageOptions,
  type FauxResponse,
  fauxAssistantMessage,
  fauxCompaction,
  fauxFile,
  fauxImage,
  fauxServerTool,
  fauxText,
  fauxThinking,
  fauxToolCall,
} from "./testing/faux-message.js";
export type { FauxPace, FauxResponseFactory, FauxResponseStep, FauxState } from "./testing/faux-player.js";
export {
  type FauxModelDefinition,
  type FauxProviderOptions,
  type FauxProviderRegistration,
  type RegisterFauxProviderOptions,
  registerFauxProvider,
} from "./testing/faux-provider.js";
export { type EstimateOptions, estimateTokens } from "./tokens/estimate-tokens.js";
export type { AwsCredentials, BedrockClient } from "./transport/sdk/aws.js";
export type { GoogleClient, GoogleStreamParameters } from "./transport/sdk/google.js";
export type { PostingClient, PostOptions } from "./transport/sdk/http-sdk.js";
export type {
  AnthropicMessagesCompat,
  Api,
  AssistantBlock,
  AssistantImage,
  AssistantMessage,
  AssistantMessageDiagnostic,
  AssistantMessageEvent,
  AssistantResponseStream,
  CacheLifetime,
  CacheRetention,
  Citation,
  ClearThinking,
  ClearToolResults,
  CompactionContent,
  Context,
  ContextInput,
  ContextManagement,
  ConversationBase,
  DiagnosticErrorInfo,
  ErrorInfo,
  ErrorKind,
  FileContent,
  ImageContent,
  KnownApi,
  Message,
  MessageInput,
  MistralConversationsCompat,
  Model,
  ModelCompat,
  ModelCost,
  ModelLifecycle,
  ModelPrice,
  ModelPriceChange,
  ModelPriceTier,
  ModelThinkingLevel,
  OpenAICompletionsCompat,
  OpenAIResponsesCompat,
  OpenRouterRouting,
  OutputFormat,
  Provider,
  ProviderResponse,
  ProviderStreamOptions,
  ResponseContainer,
  ResponseLimits,
  ServerCompaction,
  ServerToolContent,
  SimpleStreamOptions,
  SimpleToolChoice,
  StandardInput,
  StandardSchema,
  StopReason,
  StreamFn,
  StreamFunction,
  StreamOptions,
  SystemMessage,
  SystemMessageInput,
  TextContent,
  TextSignatureV1,
  ThinkingBudgets,
  ThinkingContent,
  ThinkingFormat,
  ThinkingLevel,
  ThinkingLevelMap,
  Tool,
  ToolArguments,
  ToolCall,
  ToolReference,
  ToolResultMessage,
  Transport,
  Usage,
  UsageCost,
  UserBlock,
  UserMessage,
  VercelGatewayRouting,
} from "./types.js";
export {
  appendAssistantMessageDiagnostic,
  createAssistantMessageDiagnostic,
  extractDiagnosticError,
  formatThrownValue,
} from "./utils/diagnostics.js";
export { messageText } from "./utils/message-facts.js";
export { getOverflowPatterns, isContextOverflow } from "./utils/overflow.js";
export { isRetryableAssistantError } from "./utils/retryable.js";
export { sanitizeSurrogates } from "./utils/sanitize-unicode.js";
export {
  cleanupSessionResources,
  registerSessionResourceCleanup,
  type SessionResourceCleanup,
} from "./utils/session-resources.js";
export { Type } from "./vendor/typebox.js";
export { PI_AI_VERSION } from "./version.js";
export { parseJsonWithRepair, repairJson } from "./wire/json/json-parse.js";
export { parseStreamingJson } from "./wire/json/parse-streaming-json.js";
