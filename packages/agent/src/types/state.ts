/** The state of an agent. */
import type { Model, ModelThinkingLevel } from "pi-ai";
import type { ApprovalRequest, RunStop } from "./event.js";
import type { AgentMessage, AgentMessageInput } from "./message.js";
import type { Pause } from "./pause.js";
import type { AnyAgentTool } from "./tool.js";

/** How much the model thinks; `"off"` requests no thinking. */
export type ThinkingLevel = ModelThinkingLevel;

/** Whether a turn takes all messages of a queue or one. */
export type QueueMode = "all" | "one-at-a-time";

/**
 * The live state of an agent. Changes by the application apply from the next run. The agent owns the read-only fields.
 */
export interface AgentState<TOutput = unknown> {
  /** Instructions that precede the conversation. */
  systemPrompt: string;
  /** The model. */
  model: Model;
  /** How much it thinks. Default `"off"`. */
  thinkingLevel: ThinkingLevel;
  /** Reads return the agent's own array; assignment stores a copy. */
  get tools(): AnyAgentTool[];
  set tools(tools: readonly AnyAgentTool[]);
  /** Reads return the agent's own array, which grows; assignment stores a copy. */
  get messages(): AgentMessage[];
  set messages(messages: readonly AgentMessageInput[]);
  /** True from the start of a run until the listeners of its `agent_end` are done. */
  readonly isStreaming: boolean;
  /** The message that is streaming. */
  readonly streamingMessage?: AgentMessage | undefined;
  /** Ids of the tool calls in progress. The set is replaced at each change. */
  readonly pendingToolCalls: ReadonlySet<string>;
  /** Tool calls that wait for an approval. The list is replaced at each change. */
  readonly pendingApprovals: readonly ApprovalRequest[];
  /** The questions that the conversation waits for, by its messages; undefined for none. See `agent.answer()`. */
  readonly pause?: Pause | undefined;
  /** The typed output of the latest run, if it returned one. It fits the schema of `outputRequest`, and has the type of that of `initialState.output`. */
  readonly output?: TOutput | undefined;
  /** Why a limit ended the latest run; undefined if none did. `maxTurns` is reported by `errorMessage` only. */
  readonly stopped?: RunStop | undefined;
  /** The error of the latest run. */
  readonly errorMessage?: string | undefined;
}
