/** Messages of a conversation: plain JSON data, safe to store and to send to another provider later. */
import type { Api, Provider } from "./model.js";

/** Text written by a user, a model or a tool. */
export interface TextContent {
  type: "text";
  text: string;
  /** Opaque provider data that belongs to this text; only ever sent back to the model that made it. */
  textSignature?: string;
}

/** A model's reasoning. */
export interface ThinkingContent {
  type: "thinking";
  /** Visible reasoning text; may be empty where the provider shows none. */
  thinking: string;
  /** Opaque provider data that proves or replaces the text; only ever sent back to the model that made it. */
  thinkingSignature?: string;
  /** True when the provider hid the text; `thinkingSignature` then holds the encrypted payload. */
  redacted?: boolean;
}

/** An image, embedded. */
export interface ImageContent {
  type: "image";
  /** Base64 without a `data:` prefix. */
  data: string;
  /** For example `image/png`. */
  mimeType: string;
}

/** A model's wish to run a tool. */
export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  /**
   * The parsed arguments. In an event of a call that is still streaming this is a live view that grows;
   * from `toolcall_end` on it is final.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tool arguments have the shape of the tool's own schema; users read fields directly.
  arguments: Record<string, any>;
  /** Opaque provider data (Google: base64 thought signature; chat: JSON of encrypted reasoning details). */
  thoughtSignature?: string;
  /** Why the arguments are not one complete JSON object. Such a call must not be executed. */
  argumentsError?: string;
  /** The text that arrived, present with `argumentsError` only. */
  argumentsText?: string;
}

/** Cost in US dollars. */
export interface UsageCost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  total: number;
}

/** Token counts of one answer. The first four are disjoint and add up to `totalTokens`. */
export interface Usage {
  /** Prompt tokens that were neither read from nor written to a cache. */
  input: number;
  /** Generated tokens, reasoning included. */
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The part of `cacheWrite` that was written for one hour, where the provider tells. */
  cacheWrite1h?: number;
  /** The part of `output` that was reasoning, where the provider tells. */
  reasoning?: number;
  totalTokens: number;
  cost: UsageCost;
}

/** Why an answer ended. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

/** What kind of failure an {@link ErrorInfo} describes. */
export type ErrorKind =
  | "config"
  | "auth_missing"
  | "auth"
  | "permission"
  | "not_found"
  | "invalid_request"
  | "context_overflow"
  | "content_filter"
  | "rate_limit"
  | "overloaded"
  | "server"
  | "network"
  | "timeout"
  | "protocol"
  | "aborted"
  | "unknown";

/** The facts of a failure, as plain data beside the text in `errorMessage`. */
export interface ErrorInfo {
  kind: ErrorKind;
  /** HTTP status, where there was one. */
  status?: number;
  /** The provider's id of the request. */
  requestId?: string;
  /** How long the provider asked to wait, in milliseconds. */
  retryAfterMs?: number;
  /** How many requests were sent, when more than one was. */
  attempts?: number;
}

/** A note about how an answer came to be (a transport that was given up, for example). */
export interface AssistantMessageDiagnostic {
  type: string;
  /** Unix time in milliseconds. */
  timestamp: number;
  error?: DiagnosticErrorInfo;
  details?: Record<string, unknown>;
}

/** An error as plain data. */
export interface DiagnosticErrorInfo {
  name?: string;
  message: string;
  stack?: string;
  code?: string | number;
}

export interface UserMessage {
  role: "user";
  content: string | (TextContent | ImageContent)[];
  /** Unix time in milliseconds. */
  timestamp: number;
}

export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: Api;
  provider: Provider;
  /** The id of the model that was asked. */
  model: string;
  /** The id of the model that answered, where it differs. */
  responseModel?: string;
  /** The provider's id of this answer. */
  responseId?: string;
  diagnostics?: AssistantMessageDiagnostic[];
  usage: Usage;
  stopReason: StopReason;
  /** What went wrong, in the provider's own words; present with `error` and `aborted`. */
  errorMessage?: string;
  /** The facts of the failure; present with `errorMessage`. */
  error?: ErrorInfo;
  /** Unix time in milliseconds at which the request began. */
  timestamp: number;
}

// biome-ignore lint/suspicious/noExplicitAny: details are the host's own data and never reach a model.
export interface ToolResultMessage<TDetails = any> {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  /** For the host only, never sent to a model. */
  details?: TDetails;
  isError: boolean;
  /** How long the tool ran, in milliseconds; absent if it never did. */
  durationMs?: number;
  /** Unix time in milliseconds. */
  timestamp: number;
}

export type Message = UserMessage | AssistantMessage | ToolResultMessage;
