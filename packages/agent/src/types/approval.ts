/** The types of approvals: the request for a tool call, and its answer. */
import type { AgentToolCall } from "./message.js";

/** A tool call that needs an approval before it runs. */
export interface ApprovalRequest {
  /** The name of the engine's signal that carries the answer, an {@link ApprovalAnswer}. Unique in a run. */
  name: string;
  /** The id of the call. */
  toolCallId: string;
  /** The name of its tool. */
  toolName: string;
  /** The validated arguments that the tool will receive. */
  args: AgentToolCall["arguments"];
}

/** The answer to an {@link ApprovalRequest}. Anything but `approved: true` declines. */
export interface ApprovalAnswer {
  /** Whether the tool may run. */
  approved: boolean;
  /** Why the call was declined, for the model. */
  reason?: string;
}
