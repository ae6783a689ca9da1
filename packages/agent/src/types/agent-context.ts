/** The conversation that a run works on, with its tools. */
import type { AgentMessage } from "./message.js";
import type { AnyAgentTool } from "./tool.js";

/** The conversation that a run works on. */
export interface AgentContext {
  /** Instructions that precede the conversation; empty for none. */
  systemPrompt: string;
  /** The conversation, oldest first. */
  messages: AgentMessage[];
  /** The tools that the model may call. Default: none. */
  tools?: AnyAgentTool[] | undefined;
}
