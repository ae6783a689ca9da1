/** What an agent does unless its options say otherwise. */
import type { Message } from "pi-ai";
import type { StreamFn } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";

/**
 * `streamSimple` of pi-ai, loaded at the first request: an application with its own stream function, such as
 * `streamProxy`, does not load the providers and their catalogue.
 */
export const streamWithProviders: StreamFn = async (model, context, options) => {
  const { streamSimple } = await import("./built-in-apis.js");
  return streamSimple(model, context, options);
};

/** The default conversion: drops messages that a model cannot read. */
export function keepLlmMessages(messages: readonly AgentMessage[]): Message[] {
  return messages.filter(isLlmMessage);
}

export function isLlmMessage(message: AgentMessage): message is Message {
  return message.role === "user" || message.role === "assistant" || message.role === "toolResult";
}
