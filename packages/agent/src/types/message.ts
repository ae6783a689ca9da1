/** Messages of a conversation with an agent: those of a model, and those that an application adds. */
import type { AssistantMessage, Message, MessageInput, SystemMessageInput } from "pi-ai";

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

/** A tool call block of a response. */
export type AgentToolCall = Extract<AssistantMessage["content"][number], { type: "toolCall" }>;
