import type { UserMessage } from "pi-ai";
import { toDataUrl } from "./data-url.js";
import type { UIInputPart } from "./ui-message-chunk.js";

/** Converts a user's content to parts of a UI message. Leaves out files that only the provider holds. */
export function toUserParts({ content }: UserMessage): UIInputPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.flatMap((block): UIInputPart[] => {
    if (block.type === "text") return [{ type: "text", text: block.text }];
    const url = toDataUrl(block);
    return url ? [{ type: "file", mediaType: block.mimeType, url }] : [];
  });
}
