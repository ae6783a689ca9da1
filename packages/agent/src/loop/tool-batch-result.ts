/** The results of the tool calls of one response. */
import type { ToolResultMessage } from "pi-ai";

export interface ToolBatchResult {
  /** One for each call, in the order of the calls. */
  messages: ToolResultMessage[];
  /** The ids of the calls that were rejected before any hook. */
  rejectedCalls: readonly string[];
  /** Whether every call asked for the run to end. */
  terminate: boolean;
}
