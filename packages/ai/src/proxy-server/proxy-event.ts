/**
 * What a proxy sends to its clients: the events of a stream without their snapshots, which the client builds again. One
 * event is one line, `data: ` and JSON. A client ignores events and fields that it does not know, so fields may be added.
 */
import type { AssistantMessageDiagnostic, ErrorInfo, StopReason, ToolCall, Usage } from "../types/message.js";

/** What is known of a block beside its text; sent when it becomes known or changes. */
export interface ProxyBlockFields {
  /** The signature of a text or thinking block. */
  contentSignature?: string;
  redacted?: boolean;
  /** The id of a call. */
  id?: string;
  toolName?: string;
  thoughtSignature?: string;
}

/** What is known of the answer at its end. */
export interface ProxyEnding {
  usage: Usage;
  responseId?: string;
  responseModel?: string;
  diagnostics?: AssistantMessageDiagnostic[];
  /** Signatures that came when their block had ended. */
  blocks?: (ProxyBlockFields & { contentIndex: number })[];
}

interface ProxyBlockEvent<TType extends string> extends ProxyBlockFields {
  type: TType;
  contentIndex: number;
  /** The counts so far, where they have changed. */
  usage?: Usage;
}

type ProseType = "text" | "thinking";

export type ProxyAssistantMessageEvent =
  | { type: "start"; usage?: Usage }
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
