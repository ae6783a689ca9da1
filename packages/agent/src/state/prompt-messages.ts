/** Converts and checks the messages that an application may pass. */
import type { FileContent, ImageContent, UserBlock, UserMessage } from "pi-ai";
import { roleMeant } from "pi-ai/call";
import { assertMessage, describeValue, mustBeText, throwWrong, withTime } from "../checks.js";
import type { AgentMessage, AgentMessageInput } from "../types/message.js";

/** How the input of an application becomes messages. */
export interface PromptOptions {
  /** The clock for timestamps, in Unix milliseconds. */
  now: () => number;
  /** Images for a message that is a string. */
  images?: readonly ImageContent[] | undefined;
  /** Whether the application converts roles of its own for models. */
  hasOwnRoles?: boolean;
}

/**
 * A prompt, one message or several, as messages of the transcript.
 *
 * @throws TypeError with the place, for what no model would read
 */
export function toPromptMessages(
  input: string | AgentMessageInput | readonly AgentMessageInput[],
  options: PromptOptions,
): AgentMessage[] {
  if (!isList(input)) return [toPromptMessage(input, options)];
  return toAgentMessages(input, "messages", options).map((message, index) => {
    assertPrompt(message, `messages[${index}]`, options);
    return message;
  });
}

/** One message of an application, as {@link toPromptMessages} converts it. */
export function toPromptMessage(input: string | AgentMessageInput, options: PromptOptions): AgentMessage {
  const message = toAgentMessage(input, "message", options);
  assertPrompt(message, "message", options);
  return message;
}

/** @param place names the list in errors, such as `initialState.messages` */
export function toAgentMessages(
  list: readonly (string | AgentMessageInput)[],
  place: string,
  options: PromptOptions,
): AgentMessage[] {
  if (!Array.isArray(list)) throwWrong(place, "a list of messages", list);
  return list.map((message, index) => toAgentMessage(message, `${place}[${index}]`, options));
}

/**
 * A string becomes a user message; a model message without a timestamp gets the current time. Any other message is
 * returned as the same object.
 *
 * @throws TypeError for anything without a role, and for content that is none, with its place
 */
function toAgentMessage(
  input: string | AgentMessageInput,
  place: string,
  { now, images = [] }: PromptOptions,
): AgentMessage {
  if (typeof input === "string") {
    if (!Array.isArray(images)) throwWrong("images", 'a list such as [{ type: "image", data, mimeType }]', images);
    return { role: "user", content: [{ type: "text", text: input }, ...images], timestamp: now() };
  }
  if (typeof input !== "object" || input === null || typeof input.role !== "string") throw notAMessage(input);
  assertMessage(input, place);
  return withTime(input, now);
}

// Stored messages may have gaps: each request leaves them out, and says so. A message that was just written may not.

function assertPrompt(message: AgentMessage, place: string, { hasOwnRoles }: PromptOptions): void {
  const { role, content }: { role: string; content?: UserMessage["content"] } = message as UserMessage;
  const meant = roleMeant(role) ?? role;
  if (!hasOwnRoles && meant !== role)
    throw new TypeError(`${place} has the role ${describeValue(role)}. Write "${meant}".`);
  if (role === "assistant" && !Array.isArray(content)) throwWrong(`${place}.content`, "a list of blocks", content);
  if (role !== "user" || content === undefined) return;
  const blocks = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  if (blocks.every((block) => block.type === "text" && block.text.trim() === ""))
    throw new TypeError(`${place} is empty. Write text, or call agent.continue().`);
  for (const [index, block] of blocks.entries()) assertBlock(block, `${place}.content[${index}]`);
}

const BASE64 = 'base64, such as buffer.toString("base64")';

function assertBlock(block: UserBlock, place: string): void {
  const { type, data, url, fileId, mimeType } = block as Omit<FileContent, "type"> & Pick<UserBlock, "type">;
  // Blocks of an unknown type end the request.
  if (type !== "image" && type !== "file") return;
  const isData = typeof data === "string" && data !== "";
  if (!isData && (type === "image" || data !== undefined)) throwWrong(`${place}.data`, BASE64, data);
  if (!isData && !url && !fileId) throwWrong(place, "data, url or fileId", block);
  mustBeText(`${place}.mimeType`, mimeType);
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
