/** A conversation as messages of ConverseStream. */
import type { BedrockFlags } from "../../catalogue/compat/index.js";
import { ConfigError } from "../../errors.js";
import {
  describeFile,
  EARLIER_CONVERSATION,
  inputKindOf,
  plainType,
  readWireItems,
  type ToolCallIdRule,
  unknownBlock,
} from "../../request/index.js";
import type {
  AssistantBlock,
  AssistantMessage,
  FileContent,
  ImageContent,
  Message,
  ThinkingContent,
  ToolResultMessage,
  UserBlock,
} from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";
import { isText } from "../../utils/read-text.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { type Attachment, cacheOf, isBlank, shownResultText, userParts } from "../content.js";

/** A union with one key, which names the kind. Binary data is base64. */
export type WireBlock = Record<string, unknown>;

export interface WireMessage {
  role: "user" | "assistant";
  content: WireBlock[];
}

/** Letters, digits, `_` and `-`, at most 64 (Bedrock API reference, "ToolUseBlock", 2026-11). */
export const BEDROCK_CALL_IDS: ToolCallIdRule = {
  normalize: (id) => id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64),
  maxLength: 64,
  always: true,
};

/** Merges adjacent messages of one role: roles must alternate, starting with the user. */
export function toWireMessages(messages: readonly Message[], flags: BedrockFlags, modelId: string): WireMessage[] {
  const signsThinking = flags.signsThinking || messages.some(hasSignature);
  const attachments = new Attachments(modelId);
  const toPart = (part: UserBlock): WireBlock =>
    part.type === "text" ? { text: part.text } : attachments.toBlock(part);
  const wire: WireMessage[] = [];
  const push = (role: WireMessage["role"], content: WireBlock[]): void => {
    const last = wire.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) wire.push({ role, content });
  };
  let beside: WireBlock[] = [];
  for (const message of messages) {
    if (message.role === "toolResult") {
      const parts = userParts(message.content).map(toPart);
      push("user", [toResultBlock(message, parts.filter(fitsIntoResult)), ...pointOf(cacheOf(message.content))]);
      // A failed result accepts only text; its other blocks follow the results of the turn.
      beside.push(...parts.filter((part) => !("text" in part) && (message.isError || !fitsIntoResult(part))));
      continue;
    }
    // The api takes changes at the beginning only.
    if (message.role === "system") continue;
    push("user", beside);
    beside = [];
    if (message.role === "user")
      push(
        "user",
        userParts(message.content).flatMap((part) => [toPart(part), ...pointOf(part.cache)]),
      );
    else push("assistant", toAssistantBlocks(message, signsThinking));
  }
  push("user", beside);
  for (const { role, content } of wire) if (role === "user") completeAttachments(content);
  if (wire[0]?.role === "assistant") wire.unshift({ role: "user", content: [{ text: EARLIER_CONVERSATION }] });
  return wire;
}

/** The cache point that the application set. The request builder decides which ones to keep. */
function pointOf(cache: UserBlock["cache"]): WireBlock[] {
  return cache ? [cachePoint(cache === "long")] : [];
}

/** The longest lifetime of a cache point. */
export const LONG = "1h";

export function cachePoint(long: boolean): WireBlock {
  return { cachePoint: { type: "default", ...(long ? { ttl: LONG } : {}) } };
}

/**
 * A signature shows that the model signs its thinking, even where its id, such as the ARN of an inference profile, does
 * not name it. Signatures of other models do not get this far.
 */
function hasSignature(message: Message): boolean {
  if (message.role !== "assistant") return false;
  return message.content.some((block) => block.type === "thinking" && !block.redacted && block.thinkingSignature);
}

function toAssistantBlocks(message: AssistantMessage, signsThinking: boolean): WireBlock[] {
  const blocks = settled(message.content.flatMap((block) => toAssistantBlock(block, signsThinking)));
  // Claude rejects a message that ends with thinking, which a truncated response can do.
  while (signsThinking && blocks.at(-1)?.["reasoningContent"]) blocks.pop();
  return blocks;
}

/** Removes server tool uses without a result, and results without a use. */
function settled(blocks: readonly WireBlock[]): WireBlock[] {
  // Other blocks have no id.
  const uses = new Set([undefined, ...blocks.map(serverUseId)]);
  const results = new Set([undefined, ...blocks.map(resultId)]);
  return blocks.filter((block) => results.has(serverUseId(block)) && uses.has(resultId(block)));
}

function serverUseId({ toolUse }: WireBlock): unknown {
  return isRecord(toolUse) && toolUse["type"] === "server_tool_use" ? toolUse["toolUseId"] : undefined;
}

/** The name of the provider's tool that a block uses; empty for another block. */
export function serverToolName(block: WireBlock): string[] {
  const { toolUse } = block;
  return serverUseId(block) !== undefined && isRecord(toolUse) && isText(toolUse["name"]) ? [toolUse["name"]] : [];
}

function resultId({ toolResult }: WireBlock): unknown {
  return isRecord(toolResult) ? toolResult["toolUseId"] : undefined;
}

function toAssistantBlock(block: AssistantBlock, signsThinking: boolean): WireBlock[] {
  switch (block.type) {
    case "text":
      return isBlank(block.text) ? [] : [{ text: sanitizeSurrogates(block.text) }];
    case "thinking":
      return toThinkingBlocks(block, signsThinking);
    case "toolCall":
      return [{ toolUse: { toolUseId: block.id, name: block.name, input: block.arguments ?? {} } }];
    case "serverTool":
    case "compaction":
      return readWireItems(block.signature);
    case "image":
    case "file":
      return [{ text: describeFile(block) }];
    default:
      throw unknownBlock(block);
  }
}

function toThinkingBlocks(block: ThinkingContent, signsThinking: boolean): WireBlock[] {
  const { thinkingSignature: signature } = block;
  if (block.redacted) {
    return signature ? [{ reasoningContent: { redactedContent: signature } }] : [];
  }
  const text = sanitizeSurrogates(block.thinking);
  // A signature is valid for the exact text only.
  if (signsThinking && signature && text === block.thinking) {
    return [{ reasoningContent: { reasoningText: { text, signature } } }];
  }
  if (isBlank(text)) return [];
  return [signsThinking ? { text } : { reasoningContent: { reasoningText: { text } } }];
}

function toResultBlock(message: ToolResultMessage, parts: WireBlock[]): WireBlock {
  const shown = [{ text: shownResultText(message.content) }];
  return {
    toolResult: {
      toolUseId: message.toolCallId,
      content: parts.length > 0 && !message.isError ? parts : shown,
      status: message.isError ? "error" : "success",
    },
  };
}

// Images and files as blocks of ConverseStream (Bedrock API reference, "ImageBlock", "DocumentBlock", "VideoBlock" and
// "AudioBlock"; user guide, "API restrictions"; 2026-11).

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
function fitsIntoResult(block: WireBlock): boolean {
  return !("audio" in block);
}

/**
 * Checks the documents of a user message and adds the text that must accompany them.
 *
 * @throws {@link ConfigError} if there are more documents than the api accepts
 */
function completeAttachments(content: WireBlock[]): void {
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
