/** Images and files as blocks of the Anthropic Messages API (platform.claude.com, "PDF support" and "Files API", 2026-11). */
import { ConfigError } from "../../errors.js";
import { describeFile, inputKindOf, plainType } from "../../request/index.js";
import type { FileContent } from "../../types/message.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { type Attachment, isBlank } from "../content.js";
import type { WireBlock } from "./wire-message.js";

const PDF = "application/pdf";

/**
 * Returns an image, a document, or an upload to the server's sandbox. A file of another type becomes a text note.
 *
 * @throws {@link ConfigError} for a file without usable content, such as a URL that Anthropic does not load
 */
export function toAttachmentBlock(part: Attachment): WireBlock {
  if (part.type === "image") return imageBlock({ type: "base64", media_type: part.mimeType, data: part.data });
  const type = plainType(part.mimeType);
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
