/** The options of a subscription and the arguments of its callbacks. */

import type { Pause } from "../types.js";
import type { ChunkerOption } from "./block-chunker.js";
import type { BlockReplyCallback } from "./block-replies.js";
import type { BlockTagOptions } from "./block-tags.js";
import type { CallbackOptions } from "./callbacks.js";
import type { EmbedCompactionEnd, EmbedCompactionStart } from "./embed-event.js";
import type { DedupeOptions, OutboundSend } from "./outbound-messages.js";
import type { PartialReplyCallback, ReasoningCallback, ReasoningMode } from "./partial-replies.js";
import type { ReplyDirectiveCodec } from "./reply-directives.js";

/** A tool call, in a few words. */
export interface ToolMeta {
  /** The tool that was called. */
  toolName?: string;
  /** The description by `describeTool`. */
  meta?: string;
}

/** The error of the latest tool call. */
export interface ToolErrorInfo {
  /** The tool that was called. */
  toolName: string;
  /** The description by `describeTool`. */
  meta?: string;
  /** The error text, if there is one, from the sanitized result. */
  error?: string;
}

/** A tool call begins. */
export interface ToolStartInfo {
  /** The id of the call. */
  toolCallId: string;
  /** The tool that is called. */
  toolName: string;
  /** The arguments as the model sent them. */
  args: unknown;
  /** The description by `describeTool`. */
  meta?: string;
}

/** A tool call reports progress. */
export interface ToolUpdateInfo {
  /** The id of the call. */
  toolCallId: string;
  /** The tool that is called. */
  toolName: string;
  /** The sanitized result. */
  partialResult: unknown;
}

/** A tool call has ended. */
export interface ToolEndInfo {
  /** The id of the call. */
  toolCallId: string;
  /** The tool that was called. */
  toolName: string;
  /** The sanitized result. */
  result: unknown;
  /** Whether it failed. */
  isError: boolean;
  /** The description by `describeTool`. */
  meta?: string;
  /** The error text, if there is one, from the sanitized result. */
  error?: string;
  /** Milliseconds; absent if the start of the call was not seen. */
  durationMs?: number;
}

/** A tool call has ended, with its arguments. */
export interface AfterToolInfo {
  /** The id of the call. */
  toolCallId: string;
  /** The tool that was called. */
  toolName: string;
  /** The arguments of the call; empty if its start was not seen. */
  params: Record<string, unknown>;
  /** The sanitized result. */
  result: unknown;
  /** The error text, if there is one, from the sanitized result. */
  error?: string;
  /** Milliseconds; absent if the start of the call was not seen. */
  durationMs?: number;
}

/** Returns the message that a tool call sends to people; `undefined` if it sends none. */
export type ClassifyOutbound<TTarget> = (call: {
  toolCallId: string;
  toolName: string;
  args: Record<string, unknown>;
}) => OutboundSend<TTarget> | undefined;

type Callback<TInfo> = (info: TInfo) => void | Promise<void>;

/** Options for replies: how a response is split, cleaned and delivered. */
export interface EmbedReplyOptions {
  /**
   * `"message_end"` delivers when a message is complete, `"text_end"` after each text in it, and with a chunker while it
   * is being written. Default `"message_end"`.
   */
  blockReplyBreak?: "text_end" | "message_end" | undefined;
  /** Splits long responses. Default false: one reply for each boundary. */
  chunker?: ChunkerOption | undefined;
  /** Default: the content of `think`, `thinking` and `thought` is hidden; `final` tags are removed. */
  tags?: BlockTagOptions | undefined;
  /** Default: no directives. */
  directives?: ReplyDirectiveCodec | undefined;
  /** `"on"` reports reasoning once at the end of a message, `"stream"` also while it streams. Default `"off"`. */
  reasoning?: ReasoningMode | undefined;
  /**
   * Whether repeated text is detected in the whole message or in each content block. The latter needs a source whose
   * events have a `contentIndex`, and keeps a text that repeats the previous one. Default `"message"`.
   */
  accumulate?: "message" | "contentIndex" | undefined;
  /** A response begins. */
  onAssistantMessageStart?: (() => void | Promise<void>) | undefined;
  /** The response has grown. */
  onPartialReply?: PartialReplyCallback | undefined;
  /** A block of the response is ready to be sent. */
  onBlockReply?: BlockReplyCallback | undefined;
  /** Reasoning has grown or is complete, depending on `reasoning`. */
  onReasoning?: ReasoningCallback | undefined;
}

/** Options for tools: descriptions, outbound messages and results. */
export interface EmbedToolOptions<TTarget> {
  /** Default: no call sends a message. */
  classifyOutbound?: ClassifyOutbound<TTarget> | undefined;
  /** How replies that a tool has already sent are detected. */
  dedupe?: DedupeOptions | undefined;
  /** Describes a call in a few words. */
  describeTool?: ((toolName: string, args: unknown) => string | undefined) | undefined;
  /** Removes data that callbacks must not see; error texts are read afterwards. Default: returns the result unchanged. */
  sanitizeToolResult?: ((result: unknown) => unknown) | undefined;
  /** A tool is called. */
  onToolStart?: Callback<ToolStartInfo> | undefined;
  /** A tool reports progress. */
  onToolUpdate?: Callback<ToolUpdateInfo> | undefined;
  /** A tool has ended. */
  onToolEnd?: Callback<ToolEndInfo> | undefined;
  /** A tool has ended; with the arguments of the call. */
  afterToolCall?: Callback<AfterToolInfo> | undefined;
}

/** Options for the run and its compactions. */
export interface EmbedRunOptions {
  /** A run begins. */
  onAgentStart?: (() => void) | undefined;
  /**
   * A run has ended because it needs answers: show the requests. `agent.answer()` and `agent.continue()` go on. Called before
   * `onAgentEnd`.
   */
  onPause?: Callback<Pause> | undefined;
  /** A run has ended. */
  onAgentEnd?: (() => void) | undefined;
  /** The host begins to compact the conversation. */
  onCompactionStart?: ((event: EmbedCompactionStart) => void) | undefined;
  /** The compaction has ended, successfully or not. */
  onCompactionEnd?: ((event: EmbedCompactionEnd & { willRetry: boolean }) => void) | undefined;
}

/** The options of a subscription, all optional. The run does not wait for callbacks, nor do their errors reach it. */
export interface EmbedOptions<TTarget = unknown>
  extends EmbedReplyOptions,
    EmbedToolOptions<TTarget>,
    EmbedRunOptions,
    CallbackOptions {
  /** The clock for durations, in milliseconds. Default `performance.now`, which is never set back. */
  now?: (() => number) | undefined;
}
