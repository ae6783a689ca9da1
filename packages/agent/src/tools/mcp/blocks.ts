/** What an MCP server sends, as blocks for a model. */
import type { UserBlock } from "pi-ai";
import { isRecord, visibleLine } from "pi-ai/call";

/** The image types that all vendors accept. Any other would make each later request of the conversation fail. */
const IMAGE = /^image\/(png|jpeg|gif|webp)$/;

/**
 * Returns one block for each item. An item that a model cannot read becomes a line of text that names it, such as
 * `[resource_link notes.txt file:///notes.txt text/plain]` or `[audio audio/wav, 1200 bytes]`. So does one whose data is not
 * base64: vendors would refuse each later request of the conversation.
 *
 * @param other receives the items that are only named
 */
export function toBlocks(content: unknown, other: unknown[] = []): UserBlock[] {
  if (!Array.isArray(content)) return [];
  return content.filter(isRecord).map((item) => {
    const source = isRecord(item["resource"]) ? item["resource"] : item;
    const { text, mimeType, data = source["blob"] } = source;
    if (typeof text === "string") return { type: "text", text };
    // Line breaks in base64 are common, and vendors refuse them.
    const bytes = typeof data === "string" ? data.replaceAll(/\s/g, "") : "";
    const isSound = isBase64(bytes);
    if (bytes && isSound && typeof mimeType === "string" && IMAGE.test(mimeType))
      return { type: "image", data: bytes, mimeType };
    if (isSound) other.push(item);
    const size = bytes ? `, ${byteLength(bytes)} bytes` : "";
    return { type: "text", text: `[${namesOf(item, source)}${isSound ? size : ", left out: its data is not base64"}]` };
  });
}

function namesOf(item: Record<string, unknown>, { name, uri, mimeType }: Record<string, unknown>): string {
  const names = [item["type"] ?? "resource", name, uri, mimeType];
  return names.flatMap((one) => (typeof one === "string" ? [visibleLine(one)] : [])).join(" ");
}

/** Whole groups of four, padded. Searches for what is wrong, which needs no memory for data of any size. */
function isBase64(data: string): boolean {
  return data.length % 4 === 0 && !/[^a-z\d+/]/i.test(data.replace(/={1,2}$/, ""));
}

function byteLength(base64: string): number {
  return base64.length * 0.75 - (base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0);
}
