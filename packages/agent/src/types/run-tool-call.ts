/** What running one tool call outside a run takes. */
import type { AssistantMessage } from "pi-ai";
import type { AfterToolCallHook, AgentContext, BeforeToolCallHook } from "./config.js";
import type { AgentToolUpdateCallback, AnyAgentTool } from "./tool.js";

export interface RunToolCallOptions {
  tools: AnyAgentTool[];
  /** The answer that the call stands in, for the hooks. */
  assistantMessage: AssistantMessage;
  /** The conversation, for the hooks. Its `tools` are not used. */
  context: AgentContext;
  signal?: AbortSignal;
  /** Gets progress. What it throws is ignored. */
  onUpdate?: AgentToolUpdateCallback;
  beforeToolCall?: BeforeToolCallHook;
  afterToolCall?: AfterToolCallHook;
  /** Bound on the call in milliseconds, unless the tool has its own. Default: none. */
  toolTimeoutMs?: number;
}
