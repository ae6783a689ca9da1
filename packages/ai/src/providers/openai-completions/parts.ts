/** Texts, images and files of user messages and tool results, as parts of a chat message. */
import type { CompletionsFlags } from "../../catalogue/compat/index.js";
import { describeFile, inputKindOf } from "../../request/index.js";
import type { CacheLifetime, FileContent, UserBlock } from "../../types/message.js";
import { toCacheControl } from "../cache-marks.js";
import { fileDataUrl, fileText, toDataUrl } from "../content.js";

export interface WirePart {
  type: string;
  text?: string;
  image_url?: { url: string };
  cache_control?: object;
  [field: string]: unknown;
}

/** `format` of audio: OpenAI, "Audio and speech" (the first two); OpenRouter, "Audio inputs" (2026-11). */
const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/aiff": "aiff",
  "audio/aac": "aac",
  "audio/ogg": "ogg",
  "audio/flac": "flac",
  "audio/mp4": "m4a",
  "audio/x-m4a": "m4a",
};

/** The part for a block, with the cache mark that the server supports. */
export function toPart(block: UserBlock, flags: CompletionsFlags): WirePart {
  const part = toPlainPart(block, flags);
  return block.cache ? { ...part, ...cacheMark(block.cache, flags) } : part;
}

/** OpenAI has one lifetime for all marks. */
export function cacheMark(cache: CacheLifetime, { cacheMarks }: CompletionsFlags): Omit<WirePart, "type"> {
  if (cacheMarks === undefined) return {};
  if (cacheMarks === "cache_control") return { cache_control: toCacheControl(cache === "long") };
  return { [cacheMarks]: { mode: "explicit" } };
}

/** A file that the server does not accept in this form becomes a text note. */
function toPlainPart(part: UserBlock, flags: CompletionsFlags): WirePart {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "image") return { type: "image_url", image_url: { url: toDataUrl(part) } };
  return toFilePart(part, flags) ?? { type: "text", text: describeFile(part) };
}

function toFilePart(file: FileContent, flags: CompletionsFlags): WirePart | undefined {
  const { data, url, fileId } = file;
  const kind = inputKindOf(file.mimeType);
  // "Either a URL of the image or the base64 encoded image data" (openai SDK 7.59, `ChatCompletionContentPartImage`, 2026-11).
  const takesUrl = flags.takesFileUrls || (flags.isOpenAI && kind === "image");
  const address = data === undefined ? (takesUrl ? url : undefined) : fileDataUrl(file, data);
  switch (kind) {
    case "text":
      return data === undefined ? toDocument(file, address, fileId) : { type: "text", text: fileText(file, data) };
    case "audio": {
      const format = AUDIO_FORMATS[file.mimeType.toLowerCase()];
      return data === undefined || !format ? undefined : { type: "input_audio", input_audio: { data, format } };
    }
    case "video":
      return address === undefined ? undefined : { type: "video_url", video_url: { url: address } };
    case "image":
      return address === undefined ? undefined : { type: "image_url", image_url: { url: address } };
    default:
      return toDocument(file, address, fileId);
  }
}

/** OpenAI, "File inputs" (2026-11): an id, or data with a name. OpenRouter accepts a URL instead of the data. */
function toDocument(file: FileContent, address: string | undefined, fileId: string | undefined): WirePart | undefined {
  if (fileId !== undefined) return { type: "file", file: { file_id: fileId } };
  if (address === undefined) return undefined;
  return { type: "file", file: { filename: file.name ?? "document", file_data: address } };
}
