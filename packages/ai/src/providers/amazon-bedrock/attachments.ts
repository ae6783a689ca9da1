/**
 * Images and files as blocks of ConverseStream (Bedrock API reference, "ImageBlock", "DocumentBlock", "VideoBlock" and
 * "AudioBlock"; user guide, "API restrictions"; 2026-11).
 */
import { ConfigError } from "../../errors.js";
import { describeFile, inputKindOf, plainType } from "../../request/index.js";
import type { FileContent, ImageContent } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";
import type { Attachment } from "../content.js";
import type { WireBlock } from "./wire-message.js";

type Kind = "image" | "document" | "video" | "audio";

/** Bedrock's format names by media type. */
const FORMATS: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  image: {
    "image/jpeg": "jpeg",
    "image/jpg": "jpeg",
    "image/png": "png",
    "image/gif": "gif",
    "image/webp": "webp",
  },
  document: {
    "application/pdf": "pdf",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/csv": "csv",
    "text/html": "html",
    "text/markdown": "md",
  },
  video: {
    "video/mp4": "mp4",
    "video/quicktime": "mov",
    "video/x-matroska": "mkv",
    "video/webm": "webm",
    "video/x-flv": "flv",
    "video/mpeg": "mpeg",
    "video/x-ms-wmv": "wmv",
    "video/3gpp": "three_gp",
  },
  audio: {
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/ogg": "ogg",
    "audio/opus": "opus",
    "audio/flac": "flac",
    "audio/aac": "aac",
    "audio/mp4": "m4a",
    "audio/x-m4a": "m4a",
    "audio/webm": "webm",
  },
};

/** The format of text files without a format of their own. */
const PLAIN_TEXT = "txt";
/** In one message. */
const MAX_DOCUMENTS = 5;
/** In megabytes. A larger video has to be in S3. */
const LIMITS: Readonly<Partial<Record<Kind, number>>> = { document: 4.5, video: 25 };
/** The formats in which some models take larger documents (Bedrock user guide, "API restrictions", 2026-11). */
const WITHOUT_LIMIT: readonly { models: RegExp; formats: readonly string[] }[] = [
  { models: /claude-(?!3|instant|v?2)/, formats: ["pdf"] },
  { models: /nova/, formats: ["pdf", "docx"] },
];

/** Creates the blocks of one request, in which each document needs a unique name. */
export class Attachments {
  readonly #names = new Set<string>();
  readonly #modelId: string;

  constructor(modelId: string) {
    this.#modelId = modelId;
  }

  /**
   * A file of an unsupported type becomes a text note.
   *
   * @throws {@link ConfigError} for a file that is too large or cannot be loaded, and for an unsupported image type
   */
  toBlock(part: Attachment): WireBlock {
    const type = plainType(part.mimeType);
    const kind = kindOf(type);
    const format = FORMATS[kind][type] ?? (inputKindOf(type) === "text" ? PLAIN_TEXT : undefined);
    if (format === undefined) return withoutFormat(part, kind);
    const source = sourceOf(part);
    if (source === undefined) return { text: noteOf(part) };
    checkSize(part, kind, this.#modelId);
    if (kind !== "document") return { [kind]: { format, source } };
    return { document: { format, name: this.#nameFor(part), source } };
  }

  /** Letters, digits, single spaces, hyphens and brackets. */
  #nameFor(part: Attachment): string {
    const given = part.type === "file" ? (part.name ?? "") : "";
    const allowed = given
      .replace(/[^a-zA-Z0-9()[\]-]+/g, " ")
      .trim()
      .slice(0, 100);
    const stem = allowed === "" ? "Document" : allowed;
    let name = stem;
    for (let count = 2; this.#names.has(name); count++) name = `${stem} ${count}`;
    this.#names.add(name);
    return name;
  }
}

function kindOf(type: string): Kind {
  const kind = inputKindOf(type);
  return kind === "text" || kind === "pdf" ? "document" : kind;
}

function withoutFormat(part: Attachment, kind: Kind): WireBlock {
  if (kind !== "image") return { text: noteOf(part) };
  throw new ConfigError(
    `Bedrock does not accept images of type ${part.mimeType}: convert it to PNG, JPEG, GIF or WebP`,
  );
}

function noteOf(part: ImageContent | FileContent): string {
  return describeFile(part);
}

/** Undefined for a file that is stored with another provider. */
function sourceOf(part: Attachment): object | undefined {
  if (part.data !== undefined) return { bytes: part.data };
  const url = part.type === "file" ? part.url : undefined;
  if (url === undefined) return undefined;
  if (url.startsWith("s3://")) return { s3Location: { uri: url } };
  throw new ConfigError(
    `Bedrock loads files from s3:// addresses only: pass the data of the file of type ${part.mimeType}`,
  );
}

/** Why Bedrock does not take a file, for the note in its place: its address or its size. */
export function bedrockFileFault(block: Attachment, { id }: Pick<Model, "id">): string | undefined {
  if (block.type === "file" && block.data === undefined && block.url && !block.url.startsWith("s3://"))
    return "Bedrock loads files from s3:// addresses only";
  const limit = exceededLimit(block, id);
  return limit === undefined ? undefined : `it is too large; at most ${limit} MB are accepted`;
}

/** The limit in megabytes, if the file exceeds it. */
function exceededLimit({ data = "", mimeType }: Attachment, modelId: string): number | undefined {
  const type = plainType(mimeType);
  const kind = kindOf(type);
  const format = FORMATS[kind][type] ?? PLAIN_TEXT;
  const isFree = WITHOUT_LIMIT.some(({ models, formats }) => models.test(modelId) && formats.includes(format));
  const limit = isFree ? undefined : LIMITS[kind];
  return limit === undefined || (data.length / 4) * 3 <= limit * 1024 * 1024 ? undefined : limit;
}

function checkSize(part: Attachment, kind: Kind, modelId: string): void {
  const limit = exceededLimit(part, modelId);
  if (limit === undefined) return;
  const place = kind === "video" ? ": put it into S3 and pass its s3:// address" : "";
  throw new ConfigError(`Bedrock accepts files of type ${part.mimeType} of at most ${limit} MB${place}`);
}

/** Whether a tool result may hold the block. */
export function fitsIntoResult(block: WireBlock): boolean {
  return !("audio" in block);
}

/**
 * Checks the documents of a user message and adds the text that must accompany them.
 *
 * @throws {@link ConfigError} if there are more documents than the api accepts
 */
export function completeAttachments(content: WireBlock[]): void {
  const documents = content.flatMap(documentsIn).length;
  if (documents > MAX_DOCUMENTS) {
    throw new ConfigError(`Bedrock accepts at most ${MAX_DOCUMENTS} documents in a message, not ${documents}`);
  }
  const stands = content.some((block) => "document" in block);
  if (stands && !content.some((block) => "text" in block)) content.push({ text: "(see attached file)" });
}

function documentsIn(block: WireBlock): unknown[] {
  if ("document" in block) return [block];
  const { toolResult } = block;
  const inside = isRecord(toolResult) ? toolResult["content"] : undefined;
  return Array.isArray(inside) ? inside.filter((part) => isRecord(part) && "document" in part) : [];
}
