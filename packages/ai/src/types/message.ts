/** Messages of a conversation: plain JSON data, safe to store and to send to another provider later. */

import type { AssistantBlock, TextContent, UserBlock } from "./blocks.js";
import type { Api, ModelThinkingLevel, Provider } from "./model.js";
import type { Tool } from "./tool.js";
import type { Usage } from "./usage.js";

export type * from "./blocks.js";
export type { CacheLifetime } from "./tool.js";
export type * from "./usage.js";

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
  /** Names who added the message in place of the user, such as a middleware of `pi-agent`. Never sent. */
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
   * The prompt, tools and level before the first change of the conversation. With it, `systemPrompt` and `tools` of a context,
   * and the level of the options, are what holds now; without it, they are what held at the beginning.
   */
  base?: ConversationBase;
  /** Unix time in milliseconds. */
  timestamp: number;
  /** Names who added the message in place of the user; `agent` for the changes that an agent notes. Never sent. */
  origin?: string;
}

/** The prompt, the tools and the level with which a conversation began. */
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

/** The sandbox that a response used. A later request can use it again. */
export interface ResponseContainer {
  /** The provider's id. */
  id: string;
  /** When the provider deletes the sandbox, in the provider's format. */
  expiresAt?: string;
}

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
