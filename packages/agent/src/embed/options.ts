/** What a product may choose, and the facts it is given. */
import type { BlockReplyCallback } from "./block-replies.js";
import type { BlockTagOptions } from "./block-tags.js";
import type { CallbackOptions } from "./callbacks.js";
import type { EmbedCompactionEnd, EmbedCompactionStart } from "./event.js";
import type { DedupeOptions, OutboundSend } from "./outbound-messages.js";
import type { PartialReplyCallback } from "./partial-replies.js";
import type { ReasoningCallback, ReasoningMode } from "./reasoning-replies.js";
import type { ReplyDirectiveCodec } from "./reply-directives.js";
import type { ChunkerOption } from "./resolve-chunker.js";

/** A tool call, in a few words. */
export interface ToolMeta {
  toolName?: string;
  meta?: string;
}

/** How the latest call failed. */
export interface ToolErrorInfo {
  toolName: string;
  meta?: string;
  error?: string;
}

export interface ToolStartInfo {
  toolCallId: string;
  toolName: string;
  args: unknown;
  meta?: string;
}

export interface ToolUpdateInfo {
  toolCallId: string;
  toolName: string;
  /** Sanitised. */
  partialResult: unknown;
}

export interface ToolEndInfo {
  toolCallId: string;
  toolName: string;
  /** Sanitised. */
  result: unknown;
  isError: boolean;
  meta?: string;
  error?: string;
  /** Milliseconds; absent if the start of the call was not seen. */
  durationMs?: number;
}

export interface AfterToolInfo {
  toolCallId: string;
  toolName: string;
  /** The arguments of the call; empty if its start was not seen. */
  params: Record<string, unknown>;
  /** Sanitised. */
  result: unknown;
  error?: string;
  /** Milliseconds; absent if the start of the call was not seen. */
  durationMs?: number;
}

/** Tells what a call sends to people; `undefined` if it sends nothing. */
export type ClassifyOutbound<TTarget> = (call: {
  toolCallId: string;
  toolName: string;
  args: Record<string, unknown>;
}) => OutboundSend<TTarget> | undefined;

type Callback<TInfo> = (info: TInfo) => void | Promise<void>;

/** Replies: how the answer is cut, cleaned and delivered. */
export interface EmbedReplyOptions {
  /**
   * `"message_end"` delivers when a message is complete, `"text_end"` after each text in it, and with a chunker while it
   * is being written. Default `"message_end"`.
   */
  blockReplyBreak?: "text_end" | "message_end";
  /** Splits long answers. Default false: one reply for each boundary. */
  chunker?: ChunkerOption;
  /** Default: `think`, `thinking`, `thought` hide what they hold; `final` is taken away. */
  tags?: BlockTagOptions;
  /** Default: no directives. */
  directives?: ReplyDirectiveCodec;
  /** `"on"` tells reasoning once at the end of a message, `"stream"` also while it grows. Default `"off"`. */
  reasoning?: ReasoningMode;
  /**
   * Whether repeats of text are recognised in the whole message or in each of its content blocks. The latter needs a
   * source whose events carry a `contentIndex`, and keeps a text that repeats the text before it. Default `"message"`.
   */
  accumulate?: "message" | "contentIndex";
  onAssistantMessageStart?: () => void | Promise<void>;
  onPartialReply?: PartialReplyCallback;
  onBlockReply?: BlockReplyCallback;
  onReasoning?: ReasoningCallback;
}

/** Tools: what they are called, what they sent, what they gave. */
export interface EmbedToolOptions<TTarget> {
  /** Default: no call sends anything. */
  classifyOutbound?: ClassifyOutbound<TTarget>;
  dedupe?: DedupeOptions;
  /** A call in a few words. */
  describeTool?: (toolName: string, args: unknown) => string | undefined;
  /** Makes a result fit to be passed on. Default: as it is. */
  sanitizeToolResult?: (result: unknown) => unknown;
  onToolStart?: Callback<ToolStartInfo>;
  onToolUpdate?: Callback<ToolUpdateInfo>;
  onToolEnd?: Callback<ToolEndInfo>;
  afterToolCall?: Callback<AfterToolInfo>;
}

/** The run and its compactions. */
export interface EmbedRunOptions {
  onAgentStart?: () => void;
  onAgentEnd?: () => void;
  onCompactionStart?: (event: EmbedCompactionStart) => void;
  onCompactionEnd?: (event: EmbedCompactionEnd & { willRetry: boolean }) => void;
}

/** Nothing is required. Callbacks are not waited for by the run, and what they throw does not reach it. */
export interface EmbedOptions<TTarget = unknown>
  extends EmbedReplyOptions,
    EmbedToolOptions<TTarget>,
    EmbedRunOptions,
    CallbackOptions {
  /** The clock for durations, in milliseconds. Default `Date.now`. */
  now?: () => number;
}
