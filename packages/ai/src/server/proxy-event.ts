/**
 * The events that a relay sends: those of a stream, without the snapshots, which the client rebuilds. One event is one
 * line: `data: ` and JSON. Clients ignore unknown events and fields, so new ones may be added.
 */
import type {
  AssistantImage,
  Citation,
  CompactionContent,
  ErrorInfo,
  FileContent,
  MessageFacts,
  ServerToolContent,
  StopReason,
  ToolCall,
  Usage,
} from "../types/message.js";

/** The fields of a block other than its text; sent when they become known or change. */
export interface ProxyBlockFields {
  /** The signature of a text or thinking block. */
  contentSignature?: string;
  /** The provider hid this thinking. */
  redacted?: boolean;
  /** The id of a tool call. */
  id?: string;
  /** The name of the tool. */
  toolName?: string;
  /** The signature of a tool call. */
  thoughtSignature?: string;
  /** The group of tools of a tool call. */
  namespace?: string;
  /** The caller of a tool call, if it was not the model itself. */
  caller?: Record<string, unknown>;
}

/** Facts about the response as a whole, under the names that they have in the message. */
export type ProxyResponseFields = MessageFacts;

/** Sent with any event when it becomes known or changes. */
export interface ProxyNews extends ProxyResponseFields {
  /** The counts so far. */
  usage?: Usage;
}

/** The facts of a terminal event. */
export interface ProxyEnding extends ProxyResponseFields {
  /** The final counts and their cost. */
  usage: Usage;
  /** Signatures that arrived after the end of their block. */
  blocks?: (ProxyBlockFields & { contentIndex: number })[];
}

interface ProxyBlockEvent<TType extends string> extends ProxyBlockFields, ProxyNews {
  type: TType;
  contentIndex: number;
}

type ProseType = "text" | "thinking";

/** One event of a relay: an event of a stream with its `delta` and without its `partial`. */
export type ProxyAssistantMessageEvent =
  | ({ type: "start" } & ProxyNews)
  | ({ type: "attempt_reset" } & ProxyNews)
  | ProxyBlockEvent<`${ProseType}_start`>
  | (ProxyBlockEvent<`${ProseType}_delta`> & { delta: string })
  | ProxyBlockEvent<`${ProseType}_end`>
  | ProxyBlockEvent<"toolcall_start">
  | (ProxyBlockEvent<"toolcall_delta"> & { delta: string })
  /** Older servers omit `toolCall`: its arguments are the joined deltas. */
  | (ProxyBlockEvent<"toolcall_end"> & { toolCall?: ToolCall })
  | (ProxyBlockEvent<"servertool_start"> & { serverTool: ServerToolContent })
  /** Either the next piece of the input, or the whole changed block. */
  | (ProxyBlockEvent<"servertool_update"> & ({ delta: string } | { serverTool: ServerToolContent }))
  | (ProxyBlockEvent<"servertool_end"> & { serverTool: ServerToolContent })
  | (ProxyBlockEvent<"file_end"> & { file: AssistantImage | FileContent })
  | (ProxyBlockEvent<"compaction_end"> & { compaction: CompactionContent })
  | (ProxyBlockEvent<"citation"> & { citation: Citation })
  | ({ type: "done"; reason: Exclude<StopReason, "error" | "aborted"> } & ProxyEnding)
  | ({
      type: "error";
      reason: Extract<StopReason, "error" | "aborted">;
      errorMessage?: string;
      error?: ErrorInfo;
    } & ProxyEnding);
