import type { ApprovalRequest } from "../types/approval.js";
import type { AgUiInterrupt } from "./ag-ui-event.js";

/** The payload of a `resume` entry that answers the request, as `readAgUiAnswers` reads it. */
const ANSWER_SCHEMA = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
};

/** Converts an approval request to an interrupt. */
export function toInterrupt({ name, toolCallId, toolName }: ApprovalRequest): AgUiInterrupt {
  const message = `May ${toolName} run?`;
  return { id: name, reason: "tool_approval", toolCallId, message, responseSchema: ANSWER_SCHEMA };
}
