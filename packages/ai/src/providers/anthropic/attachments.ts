/** Images and files as blocks of the Anthropic Messages API (platform.claude.com, "PDF support" and "Files API", 2026-11). */
import type { AttachmentLimits } from "../../catalogue/compat/index.js";
import { ConfigError } from "../../errors.js";
import { describeFile, inputKindOf } from "../../request/handoff/index.js";
import type { Model } from "../../types/model.js";
import type { FileContent } from "../../types/provider-content.js";
import { isRecord } from "../../utils/is-object.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { type Attachment, isBlank } from "../content.js";
import type { WireBlock, WireMessage } from "./cache-control.js";

const PDF = "application/pdf";

/**
 * Returns an image, a document, or an upload to the server's sandbox. A file of another type becomes a text note.
 *
 * @throws {@link ConfigError} for a file without usable content, such as a URL that Anthropic does not load
 */
export function toAttachmentBlock(part: Attachment): WireBlock {
  if (part.type === "image") return imageBlock({ type: "base64", media_type: part.mimeType, data: part.data });
  const type = part.mimeType.toLowerCase().split(";")[0]?.trim() ?? "";
  const kind = inputKindOf(type);
  if (kind === "image") return imageBlock(sourceOf(part, type));
  if (kind === "text") return textBlock(part, type);
  if (type === PDF) return documentBlock(part, sourceOf(part, type));
  return part.fileId === undefined ? noteOf(part) : uploadBlock(part.fileId);
}

function textBlock(part: FileContent, type: string): WireBlock {
  const { data, fileId } = part;
  if (data !== undefined) {
    const text = sanitizeSurrogates(decodeText(part, data));
    // The api rejects an empty document.
    if (isBlank(text)) return noteOf(part);
    return documentBlock(part, { type: "text", media_type: "text/plain", data: text });
  }
  // Among the text files of the Files API, only plain text can be sent as a document.
  if (fileId !== undefined)
    return type === "text/plain" ? documentBlock(part, sourceOf(part, type)) : uploadBlock(fileId);
  throw new ConfigError(`Anthropic loads images and PDF files by URL, but not ${part.mimeType}: pass its data.`);
}

function imageBlock(source: object): WireBlock {
  return { type: "image", source };
}

function documentBlock({ name }: FileContent, source: object): WireBlock {
  return { type: "document", source, ...(name ? { title: sanitizeSurrogates(name) } : {}) };
}

function uploadBlock(fileId: string): WireBlock {
  return { type: "container_upload", file_id: fileId };
}

function noteOf(part: FileContent): WireBlock {
  return { type: "text", text: describeFile(part) };
}

function sourceOf({ data, fileId, url, mimeType }: FileContent, type: string): object {
  if (data !== undefined) return { type: "base64", media_type: type, data };
  if (fileId !== undefined) return { type: "file", file_id: fileId };
  if (url !== undefined) return { type: "url", url };
  throw new ConfigError(`A file of type ${mimeType} has neither data nor a url nor a fileId.`);
}

function decodeText({ mimeType }: FileContent, data: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
  } catch {
    throw new ConfigError(`The data of a file of type ${mimeType} is not base64.`);
  }
}

// Checks images and files against the server's limits before the request is sent.

/** @throws {@link ConfigError} if images or files are too large or too many */
export function checkAttachments(
  wire: readonly WireMessage[],
  limits: AttachmentLimits | undefined,
  model: Model,
): void {
  if (!limits) return;
  const blocks = wire.flatMap(({ role, content }) => (role === "user" ? content.flatMap(withParts) : []));
  let images = 0;
  let length = 0;
  for (const block of blocks) {
    const size = lengthOf(block);
    length += size;
    if (block["type"] !== "image") continue;
    images++;
    if (size > limits.imageLength) {
      throw new ConfigError(
        `An image is ${inMegabytes(size)} in base64. ${model.provider} accepts at most ${inMegabytes(limits.imageLength)}: scale it down.`,
      );
    }
  }
  const count = limits.images.find(({ contextWindow }) => model.contextWindow <= contextWindow)?.count;
  if (count !== undefined && images > count) {
    throw new ConfigError(`The conversation has ${images} images. ${model.id} accepts at most ${count} in a request.`);
  }
  if (length > limits.requestLength) {
    throw new ConfigError(
      `The images and files of the conversation are ${inMegabytes(length)} in base64. ${model.provider} accepts requests of at most ${inMegabytes(limits.requestLength)}.`,
    );
  }
}

/** A block and, for a tool result, the blocks inside it. */
function withParts(block: WireBlock): Record<string, unknown>[] {
  const { content } = block;
  return Array.isArray(content) ? [block, ...content.filter(isRecord)] : [block];
}

function lengthOf({ source }: Record<string, unknown>): number {
  return isRecord(source) && typeof source["data"] === "string" ? source["data"].length : 0;
}

function inMegabytes(length: number): string {
  return `${Math.ceil((length / 1024 / 1024) * 10) / 10} MB`;
}
