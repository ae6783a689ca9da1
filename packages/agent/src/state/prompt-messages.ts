/** Converts the messages that an application may pass. */
import type { ImageContent } from "pi-ai";
import { toTimedMessage } from "pi-ai/call";
import type { AgentMessage, AgentMessageInput } from "../types/message.js";

/** A prompt, one message or several, as messages of the transcript. */
export function toPromptMessages(
  input: string | AgentMessageInput | readonly AgentMessageInput[],
  images?: readonly ImageContent[],
): AgentMessage[] {
  const list: readonly (string | AgentMessageInput)[] = isList(input) ? input : [input];
  return list.map((message) => toAgentMessage(message, images));
}

/**
 * A string becomes a user message; a model message without a timestamp gets the current time. Any other message is
 * returned as the same object.
 *
 * @throws TypeError for anything without a role
 */
export function toAgentMessage(input: string | AgentMessageInput, images: readonly ImageContent[] = []): AgentMessage {
  if (typeof input === "string") {
    return { role: "user", content: [{ type: "text", text: input }, ...images], timestamp: Date.now() };
  }
  if (typeof input !== "object" || input === null || typeof input.role !== "string") throw notAMessage(input);
  return isModelMessage(input) ? toTimedMessage(input) : input;
}

type ModelMessageInput = Parameters<typeof toTimedMessage>[0];

/** Whether the message is one that models know. An application's own messages need no timestamp. */
function isModelMessage(message: AgentMessageInput): message is ModelMessageInput {
  return message.role === "user" || message.role === "assistant" || message.role === "toolResult";
}

function isList<TItem>(input: string | TItem | readonly TItem[]): input is readonly TItem[] {
  return Array.isArray(input);
}

function notAMessage(input: unknown): TypeError {
  const given = typeof input === "object" && input !== null ? "an object without a role" : String(input);
  return new TypeError(
    `A message must be a string or an object such as { role: "user", content: "Hi" }, but it is ${given}.`,
  );
}
