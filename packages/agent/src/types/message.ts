/** Messages of a conversation with an agent: those of a model, and those that an application adds. */
import type { AssistantMessage, Message, MessageInput, ServerToolContent, SystemMessageInput, ToolCall } from "pi-ai";

/**
 * An application's own messages, by declaration merging. The key does not matter; each value type joins
 * {@link AgentMessage} and carries its own `role`. They reach a model only through `convertToLlm`.
 *
 * @example
 * declare module "pi-agent" {
 *   interface CustomAgentMessages {
 *     notice: { role: "notice"; text: string; timestamp: number };
 *   }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications merge their members into it.
export interface CustomAgentMessages {}

/** Any message of a transcript. */
export type AgentMessage = Message | CustomAgentMessages[keyof CustomAgentMessages];

/** A message as an application may pass it: a user, assistant or tool result message may lack its `timestamp`. */
export type AgentMessageInput = AgentMessage | Exclude<MessageInput, SystemMessageInput>;

/** A tool call block of a response, or a server tool that waits for the application in the form of one. */
export interface AgentToolCall extends ToolCall {
  /** The block of the response if it is a server tool. The call then has its `id` and `name`, and its `input` as arguments. */
  serverTool?: ServerToolContent;
}

/** The last response of a run. `void` lets functions that are declared with `Promise<void>` return the promise of a run. */
// biome-ignore lint/suspicious/noConfusingVoidType: see above.
export type LastResponse = AssistantMessage & void;
