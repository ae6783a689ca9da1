/** The content that an MCP server sends, as blocks for a model. */
import type { UserBlock } from "pi-ai";
import { isRecord, plainBase64, readImageHeader, statedType, visibleLine } from "pi-ai/call";

/** The image types that vendors accept. Any other would make each later request of the conversation fail. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;
/** Types of files that some models read. A request to any other model has a note in their place. */
const FILE = /^(?:application\/(?:pdf|json|xml|yaml)|(?:audio|video|text)\/[\w.+-]{1,100})$/;

/**
 * Returns one block for each item. An item that a model cannot read becomes a line of text that names it, such as
 * `[resource_link notes.txt file:///notes.txt text/plain]` or `[resource a.zip application/zip, 1200 bytes]`. So does one whose
 * data is not base64: vendors would refuse each later request of the conversation.
 *
 * @param other receives the items that are only named
 */
export function toBlocks(content: unknown, other: unknown[] = []): UserBlock[] {
  if (!Array.isArray(content)) return [];
  if (content.length > MAX_ITEMS) throw new Error(`The MCP server has sent more than ${MAX_ITEMS} items`);
  const items = content.filter(isRecord);
  let length = 0;
  for (const item of items) length += lengthOf(item) + (isRecord(item["resource"]) ? lengthOf(item["resource"]) : 0);
  if (length > MAX_LENGTH) throw new Error(`The MCP server has sent more than ${MAX_LENGTH} characters`);
  return items.map((item) => toBlock(item, other));
}

/** The most items of a result, a prompt or a resource. */
const MAX_ITEMS = 1000;
/** The most characters of all of its texts and data: a picture of 24 MB. */
export const MAX_LENGTH: number = 32 * 1024 * 1024;

function lengthOf(item: Record<string, unknown>): number {
  let length = 0;
  for (const value of Object.values(item)) if (typeof value === "string") length += value.length;
  return length;
}

function toBlock(item: Record<string, unknown>, other: unknown[]): UserBlock {
  const source = isRecord(item["resource"]) ? item["resource"] : item;
  const { text, mimeType, data = source["blob"] } = source;
  if (typeof text === "string") return { type: "text", text };
  // Servers send data URLs, line breaks and the alphabet of addresses, too; vendors refuse them.
  const { data: bytes, type } = plainBase64(typeof data === "string" ? data : "");
  const isSound = isBase64(bytes);
  const file = bytes && isSound ? toFile(bytes, mimeType ?? type, source) : undefined;
  if (file && file !== NO_PICTURE) return file;
  if (isSound && !file) other.push(item);
  const fault = file ? "it is no picture" : isSound ? undefined : "its data is not base64";
  return { type: "text", text: `[${namesOf(item, source)}${remark(bytes, data === undefined, fault)}]` };
}

/** What a line says of its item beside the names. */
function remark(bytes: string, isLink: boolean, fault: string | undefined): string {
  if (fault === undefined && bytes) return `, ${byteLength(bytes)} bytes`;
  return fault === undefined && isLink ? "" : `, left out: ${fault ?? "it has no data"}`;
}

/** Says that it is a picture, and is none: vendors would refuse each later request of the conversation. */
const NO_PICTURE = "no picture";
/** Shorter data has no header that could be missing. In characters of base64. */
const LEAST_PICTURE = 16;

/** Servers often name a wrong type, so that of the first bytes comes first. */
function toFile(
  data: string,
  declared: unknown,
  source: Record<string, unknown>,
): UserBlock | typeof NO_PICTURE | undefined {
  const type = readImageHeader(data)?.type;
  const mimeType = type ?? statedType(declared);
  if (IMAGE.test(mimeType)) return type || data.length < LEAST_PICTURE ? { type: "image", data, mimeType } : NO_PICTURE;
  if (!FILE.test(mimeType)) return undefined;
  const name = nameOf(source);
  return { type: "file", data, mimeType, ...(name ? { name } : {}) };
}

/** The longest name or address of an item that is shown, in characters. */
const MAX_NAME = 2048;

/** The name of a file: its own, or the end of its address. */
function nameOf({ name, uri }: Record<string, unknown>): string {
  const address = typeof uri === "string" ? uri : "";
  return visibleLine(
    (typeof name === "string" ? name : address.slice(address.lastIndexOf("/") + 1)).slice(0, MAX_NAME),
  );
}

function namesOf(item: Record<string, unknown>, { name, uri, mimeType }: Record<string, unknown>): string {
  const names = [item["type"] ?? "resource", name, uri, mimeType];
  return names.flatMap((one) => (typeof one === "string" ? [visibleLine(one.slice(0, MAX_NAME))] : [])).join(" ");
}

/** Whole groups of four, padded. Searches for what is wrong, which needs no memory for data of any size. */
function isBase64(data: string): boolean {
  return data.length % 4 === 0 && !/[^a-z\d+/]/i.test(data.replace(/={1,2}$/, ""));
}

function byteLength(base64: string): number {
  return base64.length * 0.75 - (base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0);
}
