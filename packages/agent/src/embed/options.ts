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
  /** The tool that was called. */
  toolName?: string;
  /** What `describeTool` said of the call. */
  meta?: string;
}

/** How the latest call failed. */
export interface ToolErrorInfo {
  /** The tool that was called. */
  toolName: string;
  /** What `describeTool` said of the call. */
  meta?: string;
  /** The text of the failure, where there is one. */
  error?: string;
}

/** A call begins. */
export interface ToolStartInfo {
  /** The id of the call. */
  toolCallId: string;
  /** The tool that is called. */
  toolName: string;
  /** The arguments as the model sent them. */
  args: unknown;
  /** What `describeTool` says of the call. */
  meta?: string;
}

/** A call tells how far it is. */
export interface ToolUpdateInfo {
  /** The id of the call. */
  toolCallId: string;
  /** The tool that is called. */
  toolName: string;
  /** Sanitised. */
  partialResult: unknown;
}

/** A call has ended. */
export interface ToolEndInfo {
  /** The id of the call. */
  toolCallId: string;
  /** The tool that was called. */
  toolName: string;
  /** Sanitised. */
  result: unknown;
  /** Whether it failed. */
  isError: boolean;
  /** What `describeTool` said of the call. */
  meta?: string;
  /** The text of the failure, where there is one. */
  error?: string;
  /** Milliseconds; absent if the start of the call was not seen. */
  durationMs?: number;
}

/** A call has ended, with its arguments. */
export interface AfterToolInfo {
  /** The id of the call. */
  toolCallId: string;
  /** The tool that was called. */
  toolName: string;
  /** The arguments of the call; empty if its start was not seen. */
  params: Record<string, unknown>;
  /** Sanitised. */
  result: unknown;
  /** The text of the failure, where there is one. */
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
  /** The model begins to answer. */
  onAssistantMessageStart?: () => void | Promise<void>;
  /** The answer has grown. */
  onPartialReply?: PartialReplyCallback;
  /** A piece of the answer is ready to be sent. */
  onBlockReply?: BlockReplyCallback;
  /** Reasoning has grown or is whole, as `reasoning` says. */
  onReasoning?: ReasoningCallback;
}

/** Tools: what they are called, what they sent, what they gave. */
export interface EmbedToolOptions<TTarget> {
  /** Default: no call sends anything. */
  classifyOutbound?: ClassifyOutbound<TTarget>;
  /** How replies are recognised that a tool has already sent. */
  dedupe?: DedupeOptions;
  /** A call in a few words. */
  describeTool?: (toolName: string, args: unknown) => string | undefined;
  /** Makes a result fit to be passed on. Default: as it is. */
  sanitizeToolResult?: (result: unknown) => unknown;
  /** A tool is called. */
  onToolStart?: Callback<ToolStartInfo>;
  /** A tool tells how far it is. */
  onToolUpdate?: Callback<ToolUpdateInfo>;
  /** A tool has ended. */
  onToolEnd?: Callback<ToolEndInfo>;
  /** A tool has ended; with the arguments of the call. */
  afterToolCall?: Callback<AfterToolInfo>;
}

/** The run and its compactions. */
export interface EmbedRunOptions {
  /** A run begins. */
  onAgentStart?: () => void;
  /** A run has ended. */
  onAgentEnd?: () => void;
  /** The host begins to shorten the conversation. */
  onCompactionStart?: (event: EmbedCompactionStart) => void;
  /** The host is done, or has given up. */
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
