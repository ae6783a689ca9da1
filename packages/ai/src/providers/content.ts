/** Content helpers of the request builders. */
import { ConfigError } from "../errors.js";
import type { FileContent, ImageContent, TextContent, UserBlock } from "../types/message.js";
import { isBlankText, sanitizeSurrogates } from "../utils/sanitize-unicode.js";

export function isBlank(text: string | undefined | null): boolean {
  return text === undefined || text === null || isBlankText(text);
}

/** A block that is not text. Every request builder has to send each type of it. */
export type Attachment = Exclude<UserBlock, TextContent>;

/** The text that replaces an empty tool result. */
const ATTACHED: Readonly<Record<Attachment["type"], string>> = {
  image: "(see attached image)",
  file: "(see attached file)",
};

/** The content of a user message as a list, without blank texts. */
export function userParts(content: string | readonly UserBlock[]): UserBlock[] {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return parts
    .map((part) => (part.type === "text" ? { ...part, text: sanitizeSurrogates(part.text) } : part))
    .filter((part) => part.type !== "text" || !isBlank(part.text));
}

/** The texts of a tool result, joined by line breaks. */
export function resultText(content: readonly UserBlock[]): string {
  return sanitizeSurrogates(
    content
      .filter((part) => part.type === "text")
      .map(({ text }) => text)
      .join("\n"),
  );
}

/** The texts of a tool result, or a note in their place: most APIs reject an empty result. */
export function shownResultText(content: readonly UserBlock[]): string {
  const text = resultText(content);
  if (!isBlank(text)) return text;
  const [attachment] = resultAttachments(content);
  return attachment ? ATTACHED[attachment.type] : "(no tool output)";
}

/** The blocks of a tool result that are not text. */
export function resultAttachments(content: readonly UserBlock[]): Attachment[] {
  return content.filter((part) => part.type !== "text");
}

/** The cache lifetime that a tool result requests: the longest of its blocks. */
export function cacheOf(content: readonly UserBlock[]): UserBlock["cache"] {
  let lifetime: UserBlock["cache"];
  for (const { cache } of content) {
    if (cache === "long") return cache;
    lifetime ??= cache;
  }
  return lifetime;
}

/** A file as a data URL. */
export function fileDataUrl({ mimeType }: FileContent, data: string): string {
  return `data:${mimeType};base64,${data}`;
}

/** The content of a text file as text, with the file's name above it. */
export function fileText({ name }: FileContent, data: string): string {
  const text = sanitizeSurrogates(new TextDecoder().decode(decodeBase64(data)));
  return name ? `${name}:\n${text}` : text;
}

/** @throws {@link ConfigError} for text that is not base64 */
function decodeBase64(data: string): Uint8Array {
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  } catch {
    throw new ConfigError("The data of a file is not base64");
  }
}

export function toDataUrl(image: ImageContent): string {
  return `data:${image.mimeType};base64,${image.data}`;
}
