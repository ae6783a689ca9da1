/** Files that a page or another client sends: data, a data URL or an address, with or without a type. */
import type { UserBlock } from "pi-ai";
import { parsePublicAddress, readImageHeader } from "pi-ai/call";

/** The description of a file by a client. Every field may be missing. */
export interface ClientFile {
  /** The kind of the part: `image`, `audio`, `video` or `document`. */
  kind: string;
  /** Base64. */
  data?: string | undefined;
  /** An address on the web, or a data URL. */
  url?: string | undefined;
  mimeType?: string | undefined;
  name?: string | undefined;
}

/** The types of files by the ending of an address (IANA media types, 2026-11). */
const ENDINGS: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["mp4", "video/mp4"],
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
  ["md", "text/markdown"],
  ["csv", "text/csv"],
  ["json", "application/json"],
]);
/** The type of a file at an address that nothing else names, by its kind. Vendors take other documents as PDF. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ["image", "image/*"],
  ["audio", "audio/*"],
  ["video", "video/*"],
  ["document", "application/pdf"],
]);
/** It says nothing. */
const UNKNOWN_TYPE = "application/octet-stream";

/** The file as a block, or a note in its place: nothing that a client sends vanishes. */
export function toFileBlock(file: ClientFile): UserBlock {
  const { kind, url = "", name } = file;
  const inline = file.data === undefined ? readDataUrl(url) : (readDataUrl(file.data) ?? { data: file.data, type: "" });
  if (inline === undefined) return toAddress(file);
  const { data } = inline;
  if (data === "") return noteOf(kind, "it has no data");
  const type = typeOf(data, [file.mimeType, inline.type].find(isKnown)) ?? (kind === "image" ? "image/*" : undefined);
  if (type === undefined) return noteOf(kind, "its type is not known");
  if (type.startsWith("image/")) return { type: "image", mimeType: type, data };
  return { type: "file", mimeType: type, data, ...(name ? { name } : {}) };
}

/** Other addresses would let a client read files of the server's own account or of a private network. */
function toAddress({ kind, url = "", mimeType, name }: ClientFile): UserBlock {
  if (url === "") return noteOf(kind, "it has neither data nor an address");
  const address = parsePublicAddress(url);
  if (!address) return noteOf(kind, "its address is not public");
  const ending = /\.(\w{1,5})$/.exec(address.pathname)?.[1]?.toLowerCase() ?? "";
  const type = [mimeType, ENDINGS.get(ending), KINDS.get(kind)].find(isKnown) ?? UNKNOWN_TYPE;
  return { type: "file", mimeType: type, url, ...(name ? { name } : {}) };
}

function isKnown(type: string | undefined): type is string {
  return type !== undefined && type !== "" && type !== UNKNOWN_TYPE;
}

function noteOf(kind: string, reason: string): UserBlock {
  return { type: "text", text: `(${KINDS.has(kind) ? kind : "file"} omitted: ${reason})` };
}

/** The type that a client states, or that the first bytes name if it states none, or a picture for what is none. */
function typeOf(data: string, stated: string | undefined): string | undefined {
  const type = stated?.toLowerCase();
  const read = typeInBytes(data);
  return read !== undefined && type?.startsWith("image/") !== read.startsWith("image/") ? read : type;
}

function typeInBytes(data: string): string | undefined {
  try {
    return readImageHeader(data)?.type;
  } catch {
    return undefined; // not base64
  }
}

/** Parses a `data:` URL (RFC 2397). Undefined for any other text. */
function readDataUrl(url: string): { data: string; type: string } | undefined {
  const comma = url.indexOf(",");
  if (comma === -1 || !/^data:/i.test(url)) return undefined;
  const [type = "", ...parameters] = url.slice(5, comma).split(";");
  const body = decode(url.slice(comma + 1));
  if (parameters.at(-1)?.toLowerCase() === "base64") return { type, data: body };
  const bytes = new TextEncoder().encode(body);
  const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return { type: type || "text/plain", data };
}

/** Text with percent signs. Empty if it is broken. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
