/** What an agent knows of itself. */
import type { Model, ModelThinkingLevel } from "pi-ai";
import type { AgentMessage, AgentMessageInput } from "./message.js";
import type { AnyAgentTool } from "./tool.js";

/** How hard the model thinks; `"off"` sends no wish. */
export type ThinkingLevel = ModelThinkingLevel;

/** How much of a queue one turn takes. */
export type QueueMode = "all" | "one-at-a-time";

/**
 * The live state of an agent. What the application sets counts from the next run on; what is read-only belongs to the
 * agent.
 */
export interface AgentState {
  /** Instructions that stand above the conversation. */
  systemPrompt: string;
  /** The model that is called. */
  model: Model;
  /** How hard it thinks. Default `"off"`. */
  thinkingLevel: ThinkingLevel;
  /** Reading gives the agent's own array; assigning stores a copy. */
  get tools(): AnyAgentTool[];
  set tools(tools: readonly AnyAgentTool[]);
  /** Reading gives the agent's own array, which grows; assigning stores a copy. */
  get messages(): AgentMessage[];
  set messages(messages: readonly AgentMessageInput[]);
  /** True from the start of a run until the listeners of its `agent_end` are done. */
  readonly isStreaming: boolean;
  /** The message that is being written. */
  readonly streamingMessage?: AgentMessage | undefined;
  /** Ids of the calls that are under way. Replaced at each change. */
  readonly pendingToolCalls: ReadonlySet<string>;
  /** What went wrong in the last turn of the latest run. */
  readonly errorMessage?: string | undefined;
}
