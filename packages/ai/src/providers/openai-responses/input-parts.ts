/** Texts, images and files as parts of an input message or of a tool result. */
import type { ResponsesFlags } from "../../catalogue/compat/index.js";
import { describeFile, inputKindOf, plainType } from "../../request/index.js";
import type { FileContent, UserBlock } from "../../types/message.js";
import { ownValue } from "../../utils/own-value.js";
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
  const type = plainType(mimeType);
  const named = ownValue(EXTENSIONS, type);
  return named ?? type.split(/[/+]/)[1]?.replace(/^x-/, "") ?? "bin";
}
