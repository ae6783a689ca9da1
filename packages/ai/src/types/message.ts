/** Messages of a conversation: plain JSON data, safe to store and to send to another provider later. */
import type { Api, ModelThinkingLevel, Provider } from "./model.js";
import type { CacheLifetime, Tool } from "./tool.js";

export type { CacheLifetime } from "./tool.js";

/** Text written by a user, a model or a tool. */
export interface TextContent {
  type: "text";
  /** The text. */
  text: string;
  /** Opaque provider data for this text; sent back only to the model that produced it. */
  textSignature?: string;
  /** The sources that the provider names for this text, in the order in which it named them. */
  citations?: Citation[];
  /** Ends a cached prefix at this block, in a message of the user or a tool result. See {@link CacheLifetime}. */
  cache?: CacheLifetime;
}

/** The JSON content of `textSignature` for text of the Responses API. */
export interface TextSignatureV1 {
  v: 1;
  /** The id of the message item. */
  id: string;
  /** Whether the text is commentary on the work or the final answer. */
  phase?: "commentary" | "final_answer";
}

/** A model's reasoning. */
export interface ThinkingContent {
  type: "thinking";
  /** Visible reasoning text; empty if the provider shows none. */
  thinking: string;
  /** Opaque provider data that verifies or replaces the text; sent back only to the model that produced it. */
  thinkingSignature?: string | undefined;
  /** True if the provider hid the text; `thinkingSignature` then holds the encrypted payload. */
  redacted?: boolean | undefined;
}

/** An embedded image. */
export interface ImageContent {
  type: "image";
  /** Base64 without a `data:` prefix. */
  data: string;
  /** For example `image/png`. */
  mimeType: string;
  /** Ends a cached prefix at this block, in a message of the user or a tool result. See {@link CacheLifetime}. */
  cache?: CacheLifetime;
}

/**
 * An image that a model made. A type of its own also because TypeScript resolves `content.filter(guard)` on any `Message`
 * only if the blocks of users are no subtypes of the blocks of assistants.
 */
export interface AssistantImage extends ImageContent {
  /** Opaque provider data; sent back only to the model that produced it. */
  signature?: string;
}

/** A model's request to run a tool. */
export interface ToolCall {
  type: "toolCall";
  /** The provider's id of the tool call. Its result refers to it as `toolCallId`. */
  id: string;
  /** The name of the tool to run. */
  name: string;
  /**
   * The parsed arguments. While the tool call streams, this is a live view that grows; from `toolcall_end` on it is
   * final.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tool arguments have the shape of the tool's own schema; users read fields directly.
  arguments: Record<string, any>;
  /** Opaque provider data (Google: base64 thought signature; chat: JSON of encrypted reasoning details). */
  thoughtSignature?: string;
  /** The group of tools to which the provider says the tool belongs. */
  namespace?: string;
  /** The caller if it was not the model itself, such as code that the provider runs; as on the wire. */
  caller?: Record<string, unknown>;
  /** Why the arguments are not one complete JSON object. Such a tool call must not be executed. */
  argumentsError?: string;
  /** The argument text that arrived; present only with `argumentsError`. */
  argumentsText?: string;
}

/** One block of a user message or of a tool result. */
export type UserBlock = TextContent | ImageContent | FileContent;

/** One block of an assistant message. */
export type AssistantBlock =
  | TextContent
  | ThinkingContent
  | ToolCall
  | ServerToolContent
  | AssistantImage
  | FileContent
  | CompactionContent;

/**
 * Why a response ended. `pause`: the provider interrupted a long response. To continue it, send the conversation again
 * unchanged.
 */
export type StopReason = "stop" | "length" | "toolUse" | "pause" | "error" | "aborted";

/**
 * The kind of a failure, and the anchor of its section in `docs/errors.md`. `quota`: credit, a budget or the limit of a plan is used up, so a retry does not help, but another
 * key or provider does. `invalid_output`, `length` and `tool_use` are kinds of an `OutputError` only: the response
 * arrived, but it is not the output that was requested.
 */
export type ErrorKind =
  | "config"
  | "auth_missing"
  | "auth"
  | "permission"
  | "not_found"
  | "invalid_request"
  | "context_overflow"
  | "content_filter"
  | "quota"
  | "rate_limit"
  | "overloaded"
  | "server"
  | "network"
  | "timeout"
  | "protocol"
  | "aborted"
  | "invalid_output"
  | "length"
  | "tool_use"
  | "unknown";

/** The facts of a failure as plain data; `errorMessage` holds the text. */
export interface ErrorInfo {
  /** A code that a program can act on. */
  kind: ErrorKind;
  /** The HTTP status, if there was a response. */
  status?: number;
  /** The provider's id of the request. */
  requestId?: string;
  /** How long the provider asked to wait, in milliseconds. */
  retryAfterMs?: number;
  /** The number of requests sent, if there was more than one. */
  attempts?: number;
}

/** A message from the user. */
export interface UserMessage {
  role: "user";
  /** A text, or texts, images and files in order. */
  content: string | UserBlock[];
  /** Unix time in milliseconds. */
  timestamp: number;
  /** What added the message in place of the user, such as the name of a middleware of `pi-agent`. Never sent. */
  origin?: string;
}

/** A model's response. It may be incomplete: failed and aborted responses are messages too. */
export interface AssistantMessage {
  role: "assistant";
  /** The blocks, in the order in which they began. */
  content: AssistantBlock[];
  /** The api of the requested model. */
  api: Api;
  /** The provider of the requested model. */
  provider: Provider;
  /** The id of the requested model. */
  model: string;
  /** The id of the model that responded, if it differs. */
  responseModel?: string;
  /** The provider's id of this response. */
  responseId?: string;
  /** The stop sequence that ended the response. */
  stopSequence?: string;
  /** The sandbox that the response used. */
  container?: ResponseContainer;
  /** Notes on how the response was produced, oldest first; absent if there are none. */
  diagnostics?: AssistantMessageDiagnostic[];
  /** Tokens and cost that the provider had reported when the response ended. */
  usage: Usage;
  /** Why the response ended. With `error` and `aborted` the content may be incomplete. */
  stopReason: StopReason;
  /** The provider's error text; present with `error` and `aborted`. */
  errorMessage?: string;
  /** The facts of the failure; present with `errorMessage`. */
  error?: ErrorInfo;
  /** The start of the request, in Unix milliseconds. */
  timestamp: number;
}

/** Facts about a response other than its content, its usage and how it ended. */
export type MessageFacts = Omit<
  AssistantMessage,
  "role" | "content" | "api" | "provider" | "model" | "usage" | "stopReason" | "errorMessage" | "error" | "timestamp"
>;

/** The result of a tool call. Every tool call of a conversation needs exactly one. */
// biome-ignore lint/suspicious/noExplicitAny: details are the host's own data and never reach a model.
export interface ToolResultMessage<TDetails = any> {
  role: "toolResult";
  /** The `id` of the tool call. */
  toolCallId: string;
  /** The `name` of the tool call. */
  toolName: string;
  /** The content that the model sees. */
  content: UserBlock[];
  /** Data for the host only; never sent to a model. */
  details?: TDetails;
  /**
   * The fields of the provider's own output item, for the result of a {@link ServerToolContent} that waits. Other models
   * see `content`.
   */
  output?: Record<string, unknown>;
  /** Whether the tool failed; the content then says why. */
  isError: boolean;
  /** How long the tool ran, in milliseconds; absent if it did not run. */
  durationMs?: number;
  /** Unix time in milliseconds. */
  timestamp: number;
}

/**
 * Instructions, and changes of what the model was given, at one place of the conversation. Replaying the list gives what
 * holds now: {@link getCurrentSystemPrompt} and {@link getCurrentTools} do. A model whose family takes changes in place gets
 * them there, so that the provider's cache keeps all that precedes; for others they become a part of the beginning.
 */
export interface SystemMessage {
  role: "system";
  /** Further instructions, valid from here on; empty if there are none. */
  content: string | TextContent[];
  /** Named parts of the system prompt: a text replaces the part of that name, `null` removes it. */
  sections?: Record<string, string | null>;
  /** Replaces the system prompt of the context; contents and sections stay. */
  systemPrompt?: string;
  /** Complete definitions of tools that the model may call from here on. One with a known name replaces the earlier. */
  toolsAdded?: Tool[];
  /** Tools that the model may no longer call. Takes effect before `toolsAdded`. */
  toolsRemoved?: ToolReference[];
  /** How hard the model thinks from here on. */
  thinkingLevel?: ModelThinkingLevel;
  /**
   * What held before the first change of the conversation. With it, `systemPrompt` and `tools` of a context, and the level of
   * the options, are what holds now; without it, they are what held at the beginning.
   */
  base?: ConversationBase;
  /** Unix time in milliseconds. */
  timestamp: number;
  /** What added the message in place of the user; `agent` for the changes that an agent notes. Never sent. */
  origin?: string;
}

/** What a conversation began with. */
export interface ConversationBase {
  /** The system prompt. */
  systemPrompt: string;
  /** The tools. */
  tools: Tool[];
  /** How hard the model was to think; absent: not known. */
  thinkingLevel?: ModelThinkingLevel;
}

/** Names a tool. */
export interface ToolReference {
  /** The `name` of the tool. */
  name: string;
}

/** One message of a conversation. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage;

// Notes on how a response was produced.

/** A note on how a response was produced, such as a fallback to another transport. */
export interface AssistantMessageDiagnostic {
  /** The type of the note, as a code. */
  type: string;
  /** Unix time in milliseconds. */
  timestamp: number;
  /** The error that caused it. */
  error?: DiagnosticErrorInfo;
  /** Further facts by name. */
  details?: Record<string, unknown>;
}

/** An error as plain data. */
export interface DiagnosticErrorInfo {
  /** The name of the error's class. */
  name?: string;
  /** The text of the error. */
  message: string;
  /** The stack trace. */
  stack?: string;
  /** The code of a system or library error, such as `ECONNRESET`. */
  code?: string | number;
}

// The tokens of a response, and their cost.

/** Cost in US dollars. */
export interface UsageCost {
  /** For {@link Usage.input}. */
  input: number;
  /** For {@link Usage.output}. */
  output: number;
  /** For {@link Usage.cacheRead}. */
  cacheRead: number;
  /** For {@link Usage.cacheWrite}. */
  cacheWrite: number;
  /** The sum of the other four, plus the provider's charges for web searches. */
  total: number;
  /** The price that the response states for itself, where the provider sends one. */
  reported?: number;
}

/** Token counts of one response. The first four are disjoint and add up to `totalTokens`. */
export interface Usage {
  /** Prompt tokens that were neither read from nor written to a cache. */
  input: number;
  /** Generated tokens, reasoning included. */
  output: number;
  /** Prompt tokens that were read from the cache. */
  cacheRead: number;
  /** Prompt tokens that were written to the cache. */
  cacheWrite: number;
  /** The part of `cacheWrite` with a lifetime of one hour, if the provider reports it. */
  cacheWrite1h?: number;
  /** The part of `output` that was reasoning, if the provider reports it. */
  reasoning?: number;
  /** All tokens of the prompt and the response. */
  totalTokens: number;
  /**
   * The size of the conversation with this response, in tokens, where several requests made it and `totalTokens` counts the
   * prompt of each. Absent: it is `totalTokens`.
   */
  contextTokens?: number;
  /** The cost of these tokens at the model's prices. */
  cost: UsageCost;
}

// Content of a response besides text, thinking and tool calls: citations, server tools, files, compactions, sandboxes.

/** A source of a text. The present fields depend on the provider. */
export interface Citation {
  /** The address of the source, always one of the web (`http:` or `https:`). */
  url?: string;
  /** The title of the source. */
  title?: string;
  /** The cited words of the source. */
  quote?: string;
  /** Where the supported part of the block's text begins, in UTF-16 units. */
  start?: number;
  /** Where the supported part of the block's text ends (exclusive), in UTF-16 units. */
  end?: number;
  /** The provider's name of the source where it has no address of the web: a file id, a document index, a container path. */
  source?: string;
  /** The citation as the provider sent it (JSON); sent back only to the model that produced it. */
  signature?: string;
}

/**
 * A tool that the provider runs, or one that the application runs in the provider's own format. `input`, `output` and
 * `errorText` are for people and programs. The provider gets its own items back from `signature`.
 */
export interface ServerToolContent {
  type: "serverTool";
  /** The provider's id of the use. */
  id: string;
  /** The provider's name of the tool, such as `web_search`, `code_execution`, `shell` or `mcp__docs__search`. */
  name: string;
  /**
   * - `running`: no result has arrived. A later response may bring it.
   * - `done`, `failed`: the tool has ended.
   * - `waiting`: the provider waits for the application. The next request needs a tool result with this block's `id`.
   */
  status: "running" | "done" | "failed" | "waiting";
  /** The parsed input: queries, code, a command. While the block streams, this is a live view that grows. */
  input?: Record<string, unknown>;
  /** The result: sources, standard output, files. */
  output?: unknown;
  /** Why the tool failed. */
  errorText?: string;
  /** The items of the provider, see `writeWireItems`. Opaque; sent back only to the model that produced them. */
  signature?: string;
}

/** A file: a document, audio or video. At least one of `data`, `url` and `fileId` is present. */
export interface FileContent {
  type: "file";
  /** For example `application/pdf`. */
  mimeType: string;
  /** Base64 without a `data:` prefix. */
  data?: string;
  /** An address from which the provider loads the file. */
  url?: string;
  /** The provider's id of a file that it keeps. */
  fileId?: string;
  /** The name of the file. */
  name?: string;
  /** Opaque provider data; sent back only to the model that produced it. */
  signature?: string;
  /** Ends a cached prefix at this block, in a message of the user or a tool result. See {@link CacheLifetime}. */
  cache?: CacheLifetime;
}

/** The provider's own summary of the older part of a conversation. */
export interface CompactionContent {
  type: "compaction";
  /** The summary, if the provider shows it. */
  text?: string;
  /** The item of the provider, see `writeWireItems`. Opaque; sent back only to the model that produced it. */
  signature?: string;
}

/** The sandbox that a response used. A later request can use it again. */
export interface ResponseContainer {
  /** The provider's id. */
  id: string;
  /** When the provider deletes the sandbox, in the provider's format. */
  expiresAt?: string;
}
