/** The texts that stand for what a message cannot hold, and for messages that are missing. */
import type { FileContent, ImageContent } from "../../types/message.js";

/** The text note that replaces a file or an image that a message cannot hold. */
export function describeFile(file: ImageContent | FileContent): string {
  const name = file.type === "file" && file.name ? `${file.name}, ` : "";
  return `[${file.type}: ${name}${file.mimeType}]`;
}

// The texts of messages that are inserted because an api, or a chat template, demands a message at that place.

/** The first user message, in a conversation that begins with the assistant. */
export const EARLIER_CONVERSATION = "(The conversation began earlier.)";
/** The assistant message between a tool result and a user message. */
export const RESULTS_READ = "I have processed the tool results.";
