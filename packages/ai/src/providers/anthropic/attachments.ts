/** Images and files as blocks of the Anthropic Messages API. */
import { ConfigError } from "../../errors.js";
import { inputKindOf } from "../../handoff/input-kind.js";
import { describeFile } from "../../handoff/portable-content.js";
import type { FileContent } from "../../types/provider-content.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { decodeText } from "../file-text.js";
import { type Attachment, isBlank } from "../content.js";
import type { WireBlock } from "./messages.js";

type Source = Record<string, unknown>;

const PDF = "application/pdf";
/** An image, as base64 (platform.claude.com, "Images and vision", 2026-11). */
const LONGEST_IMAGE = 10 * 1024 * 1024;
/** A request (platform.claude.com, "Errors": request size limits, 2026-11). */
const LONGEST_REQUEST = 32 * 1024 * 1024;
/** Images of a request, for the models with the largest context (platform.claude.com, "Images and vision", 2026-11). */
const MOST_IMAGES = 600;


/**
 * An image, a document, or a file for the server's sandbox. A type that the api does not take becomes a note.
 *
 * @throws {@link ConfigError} for a file that is too large, or that has the right type but a source that the api does not
 * take
 */
export function toAttachmentBlock(part: Attachment): WireBlock {
  if (part.type === "image") return imageBlock({ type: "base64", media_type: part.mimeType, data: checkedImage(part.data) });
  const type = part.mimeType.toLowerCase().split(";")[0]?.trim() ?? "";
  switch (inputKindOf(type)) {
    case "image":
      return imageBlock(part.data === undefined ? storedSource(part) : { type: "base64", media_type: type, data: checkedImage(part.data) });
    case "text":
      return textDocument(part, type);
    default:
      if (type === PDF) return document(part, part.data === undefined ? storedSource(part) : { type: "base64", media_type: PDF, data: part.data });
      return part.fileId === undefined ? noteOf(part) : upload(part.fileId);
  }
}

function textDocument(part: FileContent, type: string): WireBlock {
  if (part.data !== undefined) {
    const data = sanitizeSurrogates(decodeText(part.data));
    // The api rejects an empty document.
    return isBlank(data) ? noteOf(part) : document(part, { type: "text", media_type: "text/plain", data });
  }
  // The Files API serves plain text as a document, and other text to the sandbox ("Files API", 2026-11).
  if (part.fileId !== undefined) return type === "text/plain" ? document(part, storedSource(part)) : upload(part.fileId);
  throw new ConfigError(
    `Anthropic loads only images and PDF files from a URL, not ${part.mimeType}: give the data of ${nameOf(part)} instead`,
  );
}

function imageBlock(source: Source): WireBlock {
  return { type: "image", source };
}

function document({ name }: FileContent, source: Source): WireBlock {
  return { type: "document", source, ...(name ? { title: sanitizeSurrogates(name) } : {}) };
}

function upload(fileId: string): WireBlock {
  return { type: "container_upload", file_id: fileId };
}

function noteOf(part: FileContent): WireBlock {
  return { type: "text", text: describeFile(part) };
}

function storedSource(part: FileContent): Source {
  if (part.fileId !== undefined) return { type: "file", file_id: part.fileId };
  if (part.url !== undefined) return { type: "url", url: part.url };
  throw new ConfigError(`${nameOf(part)} needs data, a url or a fileId`);
}

function nameOf({ name, mimeType }: FileContent): string {
  return name ? `The file "${name}"` : `A file of type ${mimeType}`;
}

function checkedImage(data: string): string {
  if (data.length <= LONGEST_IMAGE) return data;
  throw new ConfigError(`An image of ${megabytes(data.length)} in base64 is larger than Anthropic accepts (10 MB)`);
}

/**
 * Checks what only the whole request shows.
 *
 * @throws {@link ConfigError} for more or larger images and files than the api accepts
 */
export function checkAttachments(blocks: readonly WireBlock[]): void {
  const all = blocks.flatMap((block) => (Array.isArray(block["content"]) ? [block, ...block["content"]] : [block]));
  const images = all.filter((block) => block?.type === "image").length;
  if (images > MOST_IMAGES) {
    throw new ConfigError(`The conversation has ${images} images; Anthropic accepts at most ${MOST_IMAGES} in a request`);
  }
  let size = 0;
  for (const block of all) size += lengthOf(block?.source);
  if (size > LONGEST_REQUEST) {
    throw new ConfigError(`The images and files of the conversation are ${megabytes(size)}; Anthropic accepts requests of at most 32 MB`);
  }
}

function lengthOf(source: unknown): number {
  return isRecord(source) && typeof source["data"] === "string" ? source["data"].length : 0;
}

function megabytes(length: number): string {
  return `${(length / 1024 / 1024).toFixed(1)} MB`;
}
