/** What an application may pass as a prompt. */
import type { ImageContent } from "pi-ai";
import type { AgentMessage } from "../types/message.js";

/** Text becomes a user message; messages are taken as they are. */
export function toPromptMessages(
  input: string | AgentMessage | AgentMessage[],
  images: readonly ImageContent[] = [],
): AgentMessage[] {
  if (Array.isArray(input)) return input;
  if (typeof input !== "string") return [input];
  return [{ role: "user", content: [{ type: "text", text: input }, ...images], timestamp: Date.now() }];
}
