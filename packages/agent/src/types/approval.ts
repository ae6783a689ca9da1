/** The types of approvals: the request for a tool call, and its answer. */
import type { AgentToolCall } from "./message.js";

/** A tool call that needs an approval before it runs. */
export interface ApprovalRequest {
  /** Unique in a run. In a durable run, the name under which an {@link ApprovalAnswer} is sent. */
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
