import type { FileContent, ImageContent, UserBlock } from "pi-ai";
import type { AgUiPart } from "./ag-ui-event.js";

/** Converts the content of a tool result to text, or to parts if it has files. Leaves out files that only the provider has. */
export function toContent(blocks: readonly UserBlock[]): string | AgUiPart[] {
  if (blocks.every((block) => block.type === "text")) return blocks.map(({ text }) => text).join("\n");
  return blocks.flatMap((block) => (block.type === "text" ? [{ type: block.type, text: block.text }] : toPart(block)));
}

function toPart(file: ImageContent | FileContent): AgUiPart[] {
  const { mimeType, data } = file;
  const [kind] = mimeType.split("/");
  const type = kind === "image" || kind === "audio" || kind === "video" ? kind : "document";
  if (data !== undefined) return [{ type, source: { type: "data", value: data, mimeType } }];
  return file.type === "file" && file.url ? [{ type, source: { type: "url", value: file.url, mimeType } }] : [];
}
