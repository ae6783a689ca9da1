/** Reads the text of a message. */
import type { Message } from "../types/message.js";

/**
 * The text blocks of a message, joined without a separator; a user's string is returned unchanged. Thinking, images and
 * tool calls are omitted.
 *
 * @example
 * const message = await complete(model, "What is the capital of France?");
 * console.log(messageText(message));
 */
export function messageText({ content }: Pick<Message, "content">): string {
  return textOf(content);
}

/** The text blocks of a content, joined. */
export function textOf(content: Message["content"], separator = ""): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(separator);
}
