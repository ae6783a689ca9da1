/** Writes the text that takes the place of the messages that a compaction replaces. */
import type { AgentMessage } from "../types/message.js";
import { isCompactionMessage } from "./compaction-message.js";
import type { Extent } from "./plan.js";
import { cutMiddle, describeContent } from "./transcript-text.js";

const ONLY_CLEARED = "(Old tool results, images and files of this conversation were removed to save space.)";

/** How much of the user's latest request is repeated if the summary replaces it, in characters. */
const MAX_REQUEST = 4000;

/** Returns the content of a record. */
export function writeRecordText(messages: readonly AgentMessage[], { replaced }: Extent, summary?: string): string {
  if (summary === undefined) return ONLY_CLEARED;
  const text = `The earlier part of this conversation was replaced by this summary:\n\n<summary>\n${summary}\n</summary>`;
  const position = messages.findLastIndex((message) => message.role === "user" && !isCompactionMessage(message));
  const request = position >= 0 && position < replaced ? messages[position] : undefined;
  if (request?.role !== "user") return text;
  const words = cutMiddle(describeContent(request.content), MAX_REQUEST);
  return `${text}\n\nThe latest request of the user was:\n\n${words}`;
}
