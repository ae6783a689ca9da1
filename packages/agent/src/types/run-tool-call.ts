/** What running one tool call outside a run takes. */
import type { AssistantMessage } from "pi-ai";
import type { AfterToolCallHook, AgentContext, BeforeToolCallHook } from "./config.js";
import type { AgentToolUpdateCallback, AnyAgentTool } from "./tool.js";

/** What {@link runToolCall} works with. */
export interface RunToolCallOptions {
  /** The tools among which the called one is looked up. */
  tools: AnyAgentTool[];
  /** The answer that the call stands in, for the hooks. */
  assistantMessage: AssistantMessage;
  /** The conversation, for the hooks. Its `tools` are not used. */
  context: AgentContext;
  /** Aborts the call. */
  signal?: AbortSignal;
  /** Gets progress. What it throws is ignored. */
  onUpdate?: AgentToolUpdateCallback;
  /** Asked before the tool runs. */
  beforeToolCall?: BeforeToolCallHook;
  /** Asked when the tool has run. */
  afterToolCall?: AfterToolCallHook;
  /** Bound on the call in milliseconds, unless the tool has its own. Default: none. */
  toolTimeoutMs?: number;
}
