import type { ApprovalRequest } from "../types/approval.js";
import type { AgUiInterrupt } from "./ag-ui-event.js";

/** The payload that `readAgUiAnswers` reads from an entry of `resume`. */
const ANSWER_SCHEMA = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
};

export function toInterrupt({ name, toolCallId, toolName }: ApprovalRequest): AgUiInterrupt {
  const message = `May ${toolName} run?`;
  return { id: name, reason: "tool_approval", toolCallId, message, responseSchema: ANSWER_SCHEMA };
}
