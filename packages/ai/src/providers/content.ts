/** Pieces of content that every request builder needs. */
import type { ImageContent, TextContent } from "../types/message.js";
import { sanitizeSurrogates } from "../utils/sanitize-unicode.js";

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

export function resultImages(content: readonly (TextContent | ImageContent)[]): ImageContent[] {
  return content.filter((part) => part.type === "image");
}

export function toDataUrl(image: ImageContent): string {
  return `data:${image.mimeType};base64,${image.data}`;
}
