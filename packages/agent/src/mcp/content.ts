/** Converts content from an MCP server to blocks that a model can read. */
import type { UserBlock } from "pi-ai";
import { isRecord } from "pi-ai/call";

/** The image types that all vendors accept. Any other would make each later request of the conversation fail. */
const IMAGE = /^image\/(png|jpeg|gif|webp)$/;

/**
 * Returns one block for each item. An item that a model cannot read becomes a line of text that names it, such as
 * `[resource_link notes.txt file:///notes.txt text/plain]` or `[audio audio/wav, 1200 bytes]`.
 *
 * @param other receives the items that are only named
 */
export function toBlocks(content: unknown, other: unknown[] = []): UserBlock[] {
  if (!Array.isArray(content)) return [];
  return content.filter(isRecord).map((item) => {
    const source = isRecord(item["resource"]) ? item["resource"] : item;
    const { text, mimeType, name, uri, data = source["blob"] } = source;
    if (typeof text === "string") return { type: "text", text };
    const bytes = typeof data === "string" && data;
    if (bytes && typeof mimeType === "string" && IMAGE.test(mimeType)) return { type: "image", data: bytes, mimeType };
    other.push(item);
    const facts = [item["type"] ?? "resource", name, uri, mimeType].filter((fact) => typeof fact === "string");
    const size = bytes ? `, ${Math.floor(bytes.length * 0.75)} bytes` : "";
    return { type: "text", text: `[${facts.join(" ")}${size}]` };
  });
}
