/**
 * What a proxy sends to its clients: the events of a stream without their snapshots, which the client builds again. One
 * event is one line, `data: ` and JSON. A client ignores events and fields that it does not know, so fields may be added.
 */
import type { ErrorInfo, MessageFacts, StopReason, ToolCall, Usage } from "../types/message.js";

/** What is known of a block beside its text; sent when it becomes known or changes. */
export interface ProxyBlockFields {
  /** The signature of a text or thinking block. */
  contentSignature?: string;
  /** The provider hid this thinking. */
  redacted?: boolean;
  /** The id of a call. */
  id?: string;
  /** The name of the tool that is called. */
  toolName?: string;
  /** The signature of a call. */
  thoughtSignature?: string;
}

/** Facts about the response as a whole, under the names that they have in the message. */
export type ProxyResponseFields = MessageFacts;

/** Sent with any event when it becomes known or changes. */
export interface ProxyNews extends ProxyResponseFields {
  /** The counts so far. */
  usage?: Usage;
}

/** What is known at the end. */
export interface ProxyEnding extends ProxyResponseFields {
  /** The final counts and their cost. */
  usage: Usage;
  /** Signatures that came when their block had ended. */
  blocks?: (ProxyBlockFields & { contentIndex: number })[];
}

interface ProxyBlockEvent<TType extends string> extends ProxyBlockFields, ProxyNews {
  type: TType;
  contentIndex: number;
}

type ProseType = "text" | "thinking";

/** One event on the wire of a proxy: that of a stream, with `delta` and without `partial`. */
export type ProxyAssistantMessageEvent =
  | ({ type: "start" } & ProxyNews)
  | ProxyBlockEvent<`${ProseType}_start`>
  | (ProxyBlockEvent<`${ProseType}_delta`> & { delta: string })
  | ProxyBlockEvent<`${ProseType}_end`>
  | ProxyBlockEvent<"toolcall_start">
  | (ProxyBlockEvent<"toolcall_delta"> & { delta: string })
  /** Older servers leave the call out: its arguments are the joined deltas. */
  | (ProxyBlockEvent<"toolcall_end"> & { toolCall?: ToolCall })
  | ({ type: "done"; reason: Exclude<StopReason, "error" | "aborted"> } & ProxyEnding)
  | ({
      type: "error";
      reason: Extract<StopReason, "error" | "aborted">;
      errorMessage?: string;
      error?: ErrorInfo;
    } & ProxyEnding);
