/** Converts the application's texts, images and files to parts of an input message or of a tool result. */
import type { ResponsesFlags } from "../../catalogue/compat/index.js";
import { ConfigError } from "../../errors.js";
import { describeFile, inputKindOf } from "../../request/handoff/index.js";
import type { ImageContent, Message, UserBlock } from "../../types/message.js";
import type { FileContent } from "../../types/provider-content.js";
import { toDataUrl } from "../content.js";

type Part = Record<string, unknown> & { type: string };

/** A part, with a cache mark if the model supports one. The request sets the lifetime for all marks. */
export function toInputPart(block: UserBlock, { supportsCacheBreakpoints }: ResponsesFlags): Part {
  const part = toPlainPart(block);
  return block.cache && supportsCacheBreakpoints ? { ...part, prompt_cache_breakpoint: { mode: "explicit" } } : part;
}

function toPlainPart(part: UserBlock): Part {
  if (part.type === "text") return { type: "input_text", text: part.text };
  if (part.type === "image") return { type: "input_image", detail: "auto", image_url: toDataUrl(part) };
  const kind = inputKindOf(part.mimeType);
  if (kind === "image") return { type: "input_image", detail: "auto", ...imageSource(part) };
  // The API accepts neither audio nor video in a message (openai SDK 7.57, `ResponseInputContent`).
  if (kind === "audio" || kind === "video") return { type: "input_text", text: describeFile(part) };
  return { type: "input_file", ...fileSource(part) };
}

function imageSource({ mimeType, data, url, fileId }: FileContent): Record<string, unknown> {
  if (data !== undefined) return { image_url: toDataUrl({ type: "image", mimeType, data }) };
  return url === undefined ? { file_id: fileId } : { image_url: url };
}

/** Prefers the data, which every provider accepts. */
function fileSource({ mimeType, data, url, fileId, name }: FileContent): Record<string, unknown> {
  if (data !== undefined) {
    return { filename: name ?? `file.${extensionOf(mimeType)}`, file_data: `data:${mimeType};base64,${data}` };
  }
  return url === undefined ? { file_id: fileId } : { file_url: url };
}

/** Extensions that are not the second half of their MIME type (guide "File inputs", 2026-11). */
const EXTENSIONS: Readonly<Record<string, string>> = {
  "text/plain": "txt",
  "text/markdown": "md",
  "text/javascript": "js",
  "application/javascript": "js",
  "application/msword": "doc",
  "application/vnd.ms-excel": "xls",
  "application/vnd.ms-powerpoint": "ppt",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
};

/** The API derives the type of a file from its name. */
function extensionOf(mimeType: string): string {
  const type = mimeType.toLowerCase().split(";")[0]?.trim() ?? "";
  const named = Object.hasOwn(EXTENSIONS, type) ? EXTENSIONS[type] : undefined;
  return named ?? type.split("/")[1]?.replace(/^x-|\+.*$/g, "") ?? "bin";
}

const MEGABYTE = 1024 * 1024;

interface Limits {
  /** Bytes of one file. */
  file: number;
  /** Bytes of all files of a request. */
  files: number;
  /** Images of a request. */
  images: number;
}

/** By provider. OpenAI: guides "File inputs" and "Images and vision" (2026-11). Other servers document no limits. */
const LIMITS: Readonly<Record<string, Limits>> = {
  openai: { file: 50 * MEGABYTE, files: 50 * MEGABYTE, images: 1500 },
};

/** @throws ConfigError if the server would reject a file for its size, or the request for its number of images */
export function checkAttachments(messages: readonly Message[], provider: string): void {
  const limits = Object.hasOwn(LIMITS, provider) ? LIMITS[provider] : undefined;
  if (!limits) return;
  let bytes = 0;
  let images = 0;
  for (const part of attachmentsOf(messages)) {
    if (part.type === "image" || inputKindOf(part.mimeType) === "image") images++;
    if (part.type === "image") continue;
    const size = sizeOf(part);
    if (size > limits.file) throw tooLarge(`The file ${part.name ?? part.mimeType}`, size, limits.file);
    bytes += size;
  }
  if (bytes > limits.files) throw tooLarge("The files of this request", bytes, limits.files, "are");
  if (images > limits.images) {
    throw new ConfigError(`This request has ${images} images; ${provider} accepts at most ${limits.images}.`);
  }
}

function attachmentsOf(messages: readonly Message[]): (ImageContent | FileContent)[] {
  return messages.flatMap((message) => {
    if (message.role === "assistant" || typeof message.content === "string") return [];
    return message.content.filter((part) => part.type !== "text");
  });
}

function sizeOf({ data = "" }: FileContent): number {
  return Math.floor((data.length * 3) / 4);
}

function tooLarge(what: string, size: number, limit: number, verb = "is"): ConfigError {
  const megabytes = (size / MEGABYTE).toFixed(1);
  return new ConfigError(
    `${what} ${verb} ${megabytes} MB; the API accepts at most ${limit / MEGABYTE} MB. Upload larger files and pass their ids or URLs.`,
  );
}
