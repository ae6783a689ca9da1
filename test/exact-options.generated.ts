/** Written by test/exact-options.test.ts (`npx vitest run -u exact-options`). `tsc` fails if an option refuses `undefined`. */
import type { AnthropicOptions, ApiOptions, AzureOpenAIResponsesOptions, BedrockOptions, ContextInput, ContextManagement, CostOptions, EstimateOptions, FauxMessageOptions, FauxPace, FauxProviderOptions, GoogleGeminiCliOptions, GoogleOptions, GoogleVertexOptions, MistralOptions, OpenAICodexResponsesOptions, OpenAICompletionsOptions, OpenAIResponsesOptions, PostOptions, ProviderStreamOptions, RegisterFauxProviderOptions, ResponseLimits, SimpleStreamOptions, StandardInput, StreamHooks, StreamOptions, SystemMessageInput, ThinkingBudgets } from "pi-ai";
import type { TransformOptions } from "pi-ai/adapter";
import type { BuilderOptions } from "pi-ai/assemble";
import type { WatchCacheOptions } from "pi-ai/cache";
import type { CachedContentOptions, WithCachedContentOptions } from "pi-ai/cached-content";
import type { RequestLimits } from "pi-ai/call";
import type { FileLockOptions } from "pi-ai/file-lock";
import type { FindLocalServersOptions, ListModelsOptions } from "pi-ai/list-models";
import type { OAuthClock, OAuthProviderOptions } from "pi-ai/oauth";
import type { ObjectOptions, TextOptions } from "pi-ai/object";
import type { OtelSpanOptions, TelemetryOptions } from "pi-ai/otel";
import type { NodeListenerOptions, ProxyHandlerOptions, ProxyLimits } from "pi-ai/proxy-server";
import type { RouteClock, RouteOptions } from "pi-ai/route";
import type { FileSearchOptions, McpServerOptions, ToolSearchToolOptions, WebSearchOptions } from "pi-ai/server-tools";
import type { RecordOptions, ReplayOptions } from "pi-ai/testing";
import type { AgentClock, AgentInitialState, AgentLimits, AgentLoopConfig, AgentLoopHooks, AgentOptions, AgentSettings, AgentStreamOptions, ProxyStreamOptions, RunToolCallOptions, SendOptions, ToolCallHooks, ToolCallLimits } from "pi-agent";
import type { AnswerOptions, ApprovalsOptions } from "pi-agent/approvals";
import type { CompactOptions, ManualCompactOptions } from "pi-agent/compact";
import type { AppendOptions, BranchOptions, JsonlSessionOptions, ListOptions, LoadSessionOptions, LogOptions, SessionLogOptions, StoreLogOptions } from "pi-agent/session";
import type { PostgresSessionOptions } from "pi-agent/session/postgres";
import type { SqliteSessionOptions } from "pi-agent/session/sqlite";
import type { EventStoreOptions, PublishOptions } from "pi-agent/event-store";
import type { PostgresEventStoreOptions } from "pi-agent/event-store/postgres";
import type { RedisClaimOptions, RedisEventStoreOptions } from "pi-agent/event-store/redis";
import type { RunResponseOptions } from "pi-agent/sse";
import type { ReadRunOptions } from "pi-agent/sse/client";
import type { BlockChunkerOptions, BlockTagOptions, CallbackOptions, DedupeOptions, EmbedOptions, EmbedReplyOptions, EmbedRunOptions, EmbedToolOptions, StripOptions } from "pi-agent/embed";
import type { DurableOptions } from "pi-agent/durable";
import type { SessionStepsOptions } from "pi-agent/durable/session";
import type { AgentToolOptions, BudgetOptions, LimitsOptions, LoopOptions } from "pi-agent/limits";
import type { ToolSearchOptions } from "pi-agent/tool-search";
import type { McpElicitationOptions, McpToolsOptions } from "pi-agent/mcp";
import type { TraceOptions } from "pi-agent/otel";
import type { EventResponseOptions, UIMessageInput, UIMessageOptions, UIResponseOptions, UIStreamOptions } from "pi-agent/ui-stream";
import type { AgUiMessageInput, AgUiOptions, AgUiResponseOptions, AgUiStreamOptions } from "pi-agent/ag-ui";

/** The optional properties of a type that refuse `undefined`. */
type Refusing<TOptions> = TOptions extends object
  ? { [TName in keyof TOptions]-?: object extends Pick<TOptions, TName> ? (undefined extends Required<TOptions>[TName] ? never : TName) : never }[keyof TOptions]
  : never;

/** Compiles only without a name. */
type None<TNames extends never> = TNames;

export type AllTakeUndefined = [
  None<Refusing<AgUiMessageInput>>,
  None<Refusing<AgUiOptions>>,
  None<Refusing<AgUiResponseOptions>>,
  None<Refusing<AgUiStreamOptions>>,
  None<Refusing<AgentClock>>,
  None<Refusing<AgentInitialState>>,
  None<Refusing<AgentLimits>>,
  None<Refusing<AgentLoopConfig>>,
  None<Refusing<AgentLoopHooks>>,
  None<Refusing<AgentOptions>>,
  None<Refusing<AgentSettings>>,
  None<Refusing<AgentStreamOptions>>,
  None<Refusing<AgentToolOptions<any>>>,
  None<Refusing<AnswerOptions>>,
  None<Refusing<AnthropicOptions>>,
  None<Refusing<ApiOptions<any>>>,
  None<Refusing<AppendOptions>>,
  None<Refusing<ApprovalsOptions>>,
  None<Refusing<AzureOpenAIResponsesOptions>>,
  None<Refusing<BedrockOptions>>,
  None<Refusing<BlockChunkerOptions>>,
  None<Refusing<BlockTagOptions>>,
  None<Refusing<BranchOptions>>,
  None<Refusing<BudgetOptions>>,
  None<Refusing<BuilderOptions>>,
  None<Refusing<CachedContentOptions>>,
  None<Refusing<CallbackOptions>>,
  None<Refusing<CompactOptions>>,
  None<Refusing<ContextInput>>,
  None<Refusing<ContextManagement>>,
  None<Refusing<CostOptions>>,
  None<Refusing<DedupeOptions>>,
  None<Refusing<DurableOptions>>,
  None<Refusing<EmbedOptions>>,
  None<Refusing<EmbedReplyOptions>>,
  None<Refusing<EmbedRunOptions>>,
  None<Refusing<EmbedToolOptions<any>>>,
  None<Refusing<EstimateOptions>>,
  None<Refusing<EventResponseOptions>>,
  None<Refusing<EventStoreOptions>>,
  None<Refusing<FauxMessageOptions>>,
  None<Refusing<FauxPace>>,
  None<Refusing<FauxProviderOptions>>,
  None<Refusing<FileLockOptions>>,
  None<Refusing<FileSearchOptions>>,
  None<Refusing<FindLocalServersOptions>>,
  None<Refusing<GoogleGeminiCliOptions>>,
  None<Refusing<GoogleOptions>>,
  None<Refusing<GoogleVertexOptions>>,
  None<Refusing<JsonlSessionOptions>>,
  None<Refusing<LimitsOptions>>,
  None<Refusing<ListModelsOptions>>,
  None<Refusing<ListOptions>>,
  None<Refusing<LoadSessionOptions>>,
  None<Refusing<LogOptions>>,
  None<Refusing<LoopOptions>>,
  None<Refusing<ManualCompactOptions>>,
  None<Refusing<McpElicitationOptions>>,
  None<Refusing<McpServerOptions>>,
  None<Refusing<McpToolsOptions>>,
  None<Refusing<MistralOptions>>,
  None<Refusing<NodeListenerOptions>>,
  None<Refusing<OAuthClock>>,
  None<Refusing<OAuthProviderOptions>>,
  None<Refusing<ObjectOptions>>,
  None<Refusing<OpenAICodexResponsesOptions>>,
  None<Refusing<OpenAICompletionsOptions>>,
  None<Refusing<OpenAIResponsesOptions>>,
  None<Refusing<OtelSpanOptions>>,
  None<Refusing<PostOptions>>,
  None<Refusing<PostgresEventStoreOptions>>,
  None<Refusing<PostgresSessionOptions>>,
  None<Refusing<ProviderStreamOptions>>,
  None<Refusing<ProxyHandlerOptions>>,
  None<Refusing<ProxyLimits>>,
  None<Refusing<ProxyStreamOptions>>,
  None<Refusing<PublishOptions>>,
  None<Refusing<ReadRunOptions>>,
  None<Refusing<RecordOptions>>,
  None<Refusing<RedisClaimOptions>>,
  None<Refusing<RedisEventStoreOptions>>,
  None<Refusing<RegisterFauxProviderOptions>>,
  None<Refusing<ReplayOptions>>,
  None<Refusing<RequestLimits>>,
  None<Refusing<ResponseLimits>>,
  None<Refusing<RouteClock>>,
  None<Refusing<RouteOptions>>,
  None<Refusing<RunResponseOptions>>,
  None<Refusing<RunToolCallOptions>>,
  None<Refusing<SendOptions>>,
  None<Refusing<SessionLogOptions>>,
  None<Refusing<SessionStepsOptions>>,
  None<Refusing<SimpleStreamOptions>>,
  None<Refusing<SqliteSessionOptions>>,
  None<Refusing<StandardInput<any>>>,
  None<Refusing<StoreLogOptions>>,
  None<Refusing<StreamHooks>>,
  None<Refusing<StreamOptions>>,
  None<Refusing<StripOptions>>,
  None<Refusing<SystemMessageInput>>,
  None<Refusing<TelemetryOptions>>,
  None<Refusing<TextOptions>>,
  None<Refusing<ThinkingBudgets>>,
  None<Refusing<ToolCallHooks>>,
  None<Refusing<ToolCallLimits>>,
  None<Refusing<ToolSearchOptions>>,
  None<Refusing<ToolSearchToolOptions>>,
  None<Refusing<TraceOptions>>,
  None<Refusing<TransformOptions>>,
  None<Refusing<UIMessageInput>>,
  None<Refusing<UIMessageOptions>>,
  None<Refusing<UIResponseOptions>>,
  None<Refusing<UIStreamOptions>>,
  None<Refusing<WatchCacheOptions>>,
  None<Refusing<WebSearchOptions>>,
  None<Refusing<WithCachedContentOptions>>,
];
