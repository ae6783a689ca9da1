/** Converts the messages that an application may pass. */
import type { ImageContent } from "pi-ai";
import { assertMessage, refuse, withTime } from "../checks.js";
import type { AgentMessage, AgentMessageInput } from "../types/message.js";

/** What a message gets that does not have it. */
export interface PromptParts {
  /** The clock for timestamps, in Unix milliseconds. */
  now: () => number;
  /** Images for a message that is a string. */
  images?: readonly ImageContent[] | undefined;
}

/** A prompt, one message or several, as messages of the transcript. */
export function toPromptMessages(
  input: string | AgentMessageInput | readonly AgentMessageInput[],
  more: PromptParts,
): AgentMessage[] {
  return isList(input) ? toAgentMessages(input, "messages", more) : [toAgentMessage(input, more)];
}

/** @param place names the list in errors, such as `initialState.messages` */
export function toAgentMessages(
  list: readonly (string | AgentMessageInput)[],
  place: string,
  more: PromptParts,
): AgentMessage[] {
  if (!Array.isArray(list)) refuse(place, "a list of messages", list);
  return list.map((message, index) => toAgentMessage(message, { ...more, place: `${place}[${index}]` }));
}

/**
 * A string becomes a user message; a model message without a timestamp gets the current time. Any other message is
 * returned as the same object.
 *
 * @throws TypeError for anything without a role, and for content that is none, with its place
 */
export function toAgentMessage(
  input: string | AgentMessageInput,
  { now, images = [], place = "message" }: PromptParts & { place?: string },
): AgentMessage {
  if (typeof input === "string") {
    if (!Array.isArray(images)) refuse("images", 'a list such as [{ type: "image", data, mimeType }]', images);
    return { role: "user", content: [{ type: "text", text: input }, ...images], timestamp: now() };
  }
  if (typeof input !== "object" || input === null || typeof input.role !== "string") throw notAMessage(input);
  assertMessage(input, place);
  return withTime(input, now);
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
