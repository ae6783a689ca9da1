/** Pieces of content that every request builder needs. */
import type { ImageContent, TextContent } from "../types/message.js";
import { sanitizeSurrogates } from "../utils/sanitize-unicode.js";

/** Stands where a protocol wants the user to speak first, and the conversation begins with an answer. */
export const EARLIER_CONVERSATION = "(The conversation began earlier.)";
/** Stands where a protocol wants an answer between a tool's result and the user. */
export const RESULTS_READ = "I have processed the tool results.";

export function isBlank(text: string | undefined | null): boolean {
  return text === undefined || text === null || text.trim() === "";
}

/** The content of a user message as a list; a blank text is no content. */
export function userParts(content: string | readonly (TextContent | ImageContent)[]): (TextContent | ImageContent)[] {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return parts
    .map((part) => (part.type === "text" ? { ...part, text: sanitizeSurrogates(part.text) } : part))
    .filter((part) => part.type !== "text" || !isBlank(part.text));
}

/** The texts of a tool result, joined by line breaks. */
export function resultText(content: readonly (TextContent | ImageContent)[]): string {
  return sanitizeSurrogates(content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"));
}

/** The texts of a tool result, or what stands for them: no protocol likes an empty result. */
export function shownResultText(content: readonly (TextContent | ImageContent)[]): string {
  const text = resultText(content);
  if (!isBlank(text)) return text;
  return content.some((part) => part.type === "image") ? "(see attached image)" : "(no tool output)";
}

export function resultImages(content: readonly (TextContent | ImageContent)[]): ImageContent[] {
  return content.filter((part) => part.type === "image");
}

export function toDataUrl(image: ImageContent): string {
  return `data:${image.mimeType};base64,${image.data}`;
}
