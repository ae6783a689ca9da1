/** The options of `runToolCall`. */
import type { AssistantMessage } from "pi-ai";
import type { AgentContext } from "./agent-context.js";
import type { AgentClock } from "./config.js";
import type { AgentToolUpdateCallback, AnyAgentTool, ToolCallLimits } from "./tool.js";
import type { ToolCallHooks } from "./tool-call-hooks.js";

/** The options of {@link runToolCall}. */
export interface RunToolCallOptions extends ToolCallHooks, ToolCallLimits, AgentClock {
  /** The available tools. */
  tools: AnyAgentTool[];
  /** The response that contains the call, for the hooks. */
  assistantMessage: AssistantMessage;
  /** The conversation, for the hooks. Its `tools` are not used. */
  context: AgentContext;
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
  /** Receives progress. Its errors are ignored. */
  onUpdate?: AgentToolUpdateCallback | undefined;
}
