/** Reads text, thoughts, images and files from the parts of Google's stream, and writes them into requests. */
import type { MessageSink } from "../../message/index.js";
import { inputKindOf } from "../../request/index.js";
import type { AssistantImage, FileContent } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { isText, tryParseJson } from "../../utils/read-text.js";
import type { WireCall } from "./function-calls.js";

/** A part of a response, in which nothing is certain. */
export interface WirePart {
  text?: unknown;
  thought?: unknown;
  thoughtSignature?: unknown;
  functionCall?: WireCall | null;
  inlineData?: unknown;
  fileData?: unknown;
  executableCode?: unknown;
  codeExecutionResult?: unknown;
  toolCall?: unknown;
  toolResponse?: unknown;
}

interface OpenProse {
  type: "text" | "thinking";
  key: string;
  length: number;
  spans: SignedSpan[];
  /** The number of spans and the text length when the block's signature was last written. */
  written: { spans: number; length: number };
}

export class ProseReader {
  /** The keys of the text blocks, in order. */
  readonly textKeys: string[] = [];
  #open: OpenProse | undefined;
  #count = 0;

  /** @param signature empty if the part has none */
  add(text: string, thought: boolean, signature: string, sink: MessageSink): void {
    if (text === "" && signature === "") return;
    const type = thought ? "thinking" : "text";
    const prose = this.#open?.type === type ? this.#open : this.#begin(type, sink);
    const from = prose.length;
    if (text !== "") {
      sink.append(prose.key, text);
      prose.length += text.length;
    }
    if (signature !== "") prose.spans.push({ from, to: prose.length, signature });
  }

  /** Completes the text so far, because another block begins. */
  interrupt(sink: MessageSink): void {
    this.sign(sink);
    this.#open = undefined;
  }

  /** Writes the signatures that have arrived to the block. */
  sign(sink: MessageSink): void {
    const prose = this.#open;
    if (!prose || prose.spans.length === 0) return;
    const { key, type, spans, length, written } = prose;
    if (written.spans === spans.length && written.length === length) return;
    prose.written = { spans: spans.length, length };
    const signature = writeSignedSpans(spans, length);
    sink.patch(key, type === "text" ? { textSignature: signature } : { thinkingSignature: signature });
  }

  #begin(type: OpenProse["type"], sink: MessageSink): OpenProse {
    this.interrupt(sink);
    const key = `${type}:${this.#count++}`;
    if (type === "text") this.textKeys.push(key);
    sink.open(key, { type });
    this.#open = { type, key, length: 0, spans: [], written: { spans: 0, length: 0 } };
    return this.#open;
  }
}

// Stores thought signatures with the text that they sign. Google signs single parts of a stream, often an empty one at
// the end, and expects each part back unchanged: signed and unsigned parts must not be merged (ai.google.dev, "Thought
// signatures", 2026-11).

/** A signed part of a text, in UTF-16 units. */
export interface SignedSpan {
  from: number;
  /** Exclusive; equal to `from` for an empty part. */
  to: number;
  signature: string;
}

/** One part as Google sends it. */
export interface TextPiece {
  text: string;
  signature?: string;
}

/** The signature of a block: Google's own if it signs the whole text, else a JSON list of spans. */
function writeSignedSpans(spans: readonly SignedSpan[], length: number): string | undefined {
  const [first] = spans;
  if (!first) return undefined;
  const signsAll = spans.length === 1 && length > 0 && first.from === 0 && first.to === length;
  return signsAll ? first.signature : JSON.stringify(spans);
}

/** Splits a text into the parts that Google sent. An unusable signature is ignored. */
export function splitSignedText(text: string, signature: string | undefined): TextPiece[] {
  if (signature === undefined) return [{ text }];
  if (isBase64(signature)) return [{ text, signature }];
  const spans = parseSpans(signature, text.length);
  if (!spans) return [{ text }];
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const { from, to, signature: own } of spans) {
    if (from > end) pieces.push({ text: text.slice(end, from) });
    pieces.push({ text: text.slice(from, to), signature: own });
    end = to;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** The wire field is bytes: a value that is not base64 fails the whole request. */
export function isBase64(value: string): boolean {
  return value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value);
}

function parseSpans(signature: string, length: number): SignedSpan[] | undefined {
  const list = signature.startsWith("[") ? tryParseJson(signature) : undefined;
  if (!Array.isArray(list)) return undefined;
  const spans: SignedSpan[] = [];
  let end = 0;
  for (const entry of list) {
    const span = toSpan(entry);
    if (!span || span.from < end || span.to < span.from || span.to > length) return undefined;
    spans.push(span);
    end = span.to;
  }
  return spans;
}

function toSpan(entry: unknown): SignedSpan | undefined {
  if (!isRecord(entry)) return undefined;
  const { from, to, signature } = entry;
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) return undefined;
  if (typeof signature !== "string" || !isBase64(signature)) return undefined;
  return { from: Number(from), to: Number(to), signature };
}

// Images and files.

type Fields = Record<string, unknown>;

/** Maps a part that holds a file. Returns whether it does. */
export function mapMedia(part: { inlineData?: unknown; fileData?: unknown }, sink: MessageSink): boolean {
  const { inlineData, fileData, ...fields } = part;
  if (isRecord(inlineData) && isText(inlineData["data"]) && isText(inlineData["mimeType"])) {
    const { data, mimeType, displayName } = inlineData;
    const type = mimeType.startsWith("image/") ? "image" : "file";
    const name = type === "file" && isText(displayName) ? { name: displayName } : {};
    sink.open(`media:${sink.length}`, { type, data, mimeType, ...name, signature: writeFields(fields) });
    return true;
  }
  if (!isRecord(fileData) || !isText(fileData["fileUri"])) return false;
  const { fileUri, mimeType, displayName } = fileData;
  sink.open(`media:${sink.length}`, {
    type: "file",
    fileId: fileUri,
    mimeType: isText(mimeType) ? mimeType : "application/octet-stream",
    name: isText(displayName) ? displayName : undefined,
    signature: writeFields(fields),
  });
  return true;
}

/** The part for an image or a file of a user, of a tool result or of the model itself. */
export function toMediaPart(media: AssistantImage | FileContent): Fields {
  return { ...toData(media), ...readFields(media.signature) };
}

/** ai.google.dev, "File input methods", 2026-11: a file of the Files API, of Cloud Storage or at a public address. */
function toData(media: AssistantImage | FileContent): Fields {
  const { mimeType } = media;
  if (media.type === "image") return { inlineData: { mimeType, data: media.data } };
  const { data, fileId, url } = media;
  // The field is optional, and takes neither `image/*` nor a type that says nothing.
  const type = /\/\*$|octet-stream|^$/.test(mimeType) ? {} : { mimeType };
  if (data === undefined) return { fileData: { ...type, fileUri: fileId ?? url } };
  return { inlineData: { mimeType: acceptedType(mimeType), data } };
}

/** Gemini accepts text files only under a `text/*` type. */
function acceptedType(mimeType: string): string {
  return inputKindOf(mimeType) === "text" && !mimeType.startsWith("text/") ? "text/plain" : mimeType;
}

/** The other fields of the part as a signature. If there is only a thought signature, it is kept unchanged. */
function writeFields(fields: Fields): string | undefined {
  const names = Object.keys(fields);
  if (names.length === 0) return undefined;
  const { thoughtSignature } = fields;
  return names.length === 1 && isText(thoughtSignature) ? thoughtSignature : JSON.stringify(fields);
}

function readFields(signature: string | undefined): Fields {
  if (signature === undefined) return {};
  if (isBase64(signature)) return { thoughtSignature: signature };
  const fields = tryParseJson(signature);
  return isRecord(fields) ? fields : {};
}
