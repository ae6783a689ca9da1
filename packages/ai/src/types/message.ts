/** Messages of a conversation: plain JSON data, safe to store and to send to another provider later. */
import type { Api, Provider } from "./model.js";

/** Text written by a user, a model or a tool. */
export interface TextContent {
  type: "text";
  /** The text itself. */
  text: string;
  /** Opaque provider data that belongs to this text; only ever sent back to the model that made it. */
  textSignature?: string;
}

/** What `textSignature` holds, as JSON, for text of the Responses API. */
export interface TextSignatureV1 {
  v: 1;
  /** The id of the message item. */
  id: string;
  /** Whether the text comments on the work or is the final answer. */
  phase?: "commentary" | "final_answer";
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
  /** The provider's id of the call; its result names it as `toolCallId`. */
  id: string;
  /** The name of the tool that is to run. */
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

/** One block of a user message or of a tool result. */
export type UserBlock = TextContent | ImageContent;

/** One block of an assistant message. */
export type AssistantBlock = TextContent | ThinkingContent | ToolCall;

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
  /** The sum of the other four, and what the provider charges for web searches. */
  total: number;
}

/** Token counts of one answer. The first four are disjoint and add up to `totalTokens`. */
export interface Usage {
  /** Prompt tokens that were neither read from nor written to a cache. */
  input: number;
  /** Generated tokens, reasoning included. */
  output: number;
  /** Prompt tokens that were read from a cache. */
  cacheRead: number;
  /** Prompt tokens that were written to a cache. */
  cacheWrite: number;
  /** The part of `cacheWrite` that was written for one hour, where the provider tells. */
  cacheWrite1h?: number;
  /** The part of `output` that was reasoning, where the provider tells. */
  reasoning?: number;
  /** All tokens of the answer and its prompt. */
  totalTokens: number;
  /** What they cost by the prices of the model. */
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
  /** What a program can act on; the text says more. */
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
  /** What happened, as a name for programs. */
  type: string;
  /** Unix time in milliseconds. */
  timestamp: number;
  /** The failure behind it. */
  error?: DiagnosticErrorInfo;
  /** Further facts, by name. */
  details?: Record<string, unknown>;
}

/** An error as plain data. */
export interface DiagnosticErrorInfo {
  /** The name of the error's class. */
  name?: string;
  /** The text of the error. */
  message: string;
  /** Where it was made. */
  stack?: string;
  /** The code of an error of the system or of a library, `ECONNRESET` for example. */
  code?: string | number;
}

/** What a user says. */
export interface UserMessage {
  role: "user";
  /** A text, or texts and images in order. */
  content: string | UserBlock[];
  /** Unix time in milliseconds. */
  timestamp: number;
}

/** An answer of a model, whole or as far as it came: failed and aborted answers are messages too. */
export interface AssistantMessage {
  role: "assistant";
  /** The blocks in the order in which they began. */
  content: AssistantBlock[];
  /** The protocol of the model that was asked. */
  api: Api;
  /** The provider of the model that was asked. */
  provider: Provider;
  /** The id of the model that was asked. */
  model: string;
  /** The id of the model that answered, where it differs. */
  responseModel?: string;
  /** The provider's id of this answer. */
  responseId?: string;
  /** Notes about how the answer came to be, oldest first; absent where there are none. */
  diagnostics?: AssistantMessageDiagnostic[];
  /** Tokens and cost, as far as the provider had told when the answer ended. */
  usage: Usage;
  /** Why it ended. With `error` and `aborted` the content may be incomplete. */
  stopReason: StopReason;
  /** What went wrong, in the provider's own words; present with `error` and `aborted`. */
  errorMessage?: string;
  /** The facts of the failure; present with `errorMessage`. */
  error?: ErrorInfo;
  /** Unix time in milliseconds at which the request began. */
  timestamp: number;
}

/** The facts about a response that are known beside its content, its usage and the way it ended. */
export type MessageFacts = Omit<
  AssistantMessage,
  "role" | "content" | "api" | "provider" | "model" | "usage" | "stopReason" | "errorMessage" | "error" | "timestamp"
>;

/** What became of a tool call. Every call of a conversation needs one result. */
// biome-ignore lint/suspicious/noExplicitAny: details are the host's own data and never reach a model.
export interface ToolResultMessage<TDetails = any> {
  role: "toolResult";
  /** The `id` of the call. */
  toolCallId: string;
  /** The `name` of the call. */
  toolName: string;
  /** What the model gets to see. */
  content: UserBlock[];
  /** For the host only, never sent to a model. */
  details?: TDetails;
  /** Whether the tool failed; the content then says why. */
  isError: boolean;
  /** How long the tool ran, in milliseconds; absent if it never did. */
  durationMs?: number;
  /** Unix time in milliseconds. */
  timestamp: number;
}

/** One message of a conversation. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage;
