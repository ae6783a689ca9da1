/** Estimates the tokens of a file from its type and size. */
import { inputKindOf } from "../request/index.js";
import type { FileContent } from "../types/message.js";

/** Text and image of a page together (Anthropic, "PDF support", 2026-11: 1,500 to 3,000 of text). Also the least that a document counts. */
const TOKENS_PER_PAGE = 3000;
/** A page takes at most this many bytes, unless it is a picture: a file cannot hide its pages by stating fewer. */
const BYTES_PER_PAGE = 75_000;
/**
 * Bytes per token of sound and pictures that are compressed strongly: 32 tokens a second of 2 KB, and 300 a second of 60 KB
 * (ai.google.dev, "Audio understanding" and "Video understanding", 2026-11).
 */
const BYTES_PER_TOKEN: Readonly<Record<string, number>> = { audio: 60, video: 200 };
/** Sound that is not compressed has ten times as many bytes. */
const PLAIN_SOUND = /^audio\/(?:x-|vnd\.)?(?:wave?|pcm|l16|aiff|basic)\b/i;
/** Office documents are compressed texts. */
const BYTES_PER_TOKEN_OF_OTHERS = 4;

/** How to estimate a part of a file. */
export interface FileEstimate {
  text: (text: string) => number;
  image: (data: string) => number;
  /** A file counts so much if only its address or id is known. */
  unknown: number;
}

export function estimateFile({ mimeType, data, name = "" }: FileContent, estimate: FileEstimate): number {
  if (!data) return estimate.unknown;
  const kind = inputKindOf(mimeType);
  const bytes = Math.floor((data.length * 3) / 4);
  if (kind === "text") return estimate.text(`${name}${decode(data)}`);
  if (kind === "image") return estimate.image(data);
  const bytesPerToken = BYTES_PER_TOKEN[kind];
  if (bytesPerToken !== undefined) return bytes / (PLAIN_SOUND.test(mimeType) ? bytesPerToken * 10 : bytesPerToken);
  if (/pdf/i.test(mimeType)) return Math.max(countPages(data), bytes / BYTES_PER_PAGE) * TOKENS_PER_PAGE;
  return Math.max(TOKENS_PER_PAGE, bytes / BYTES_PER_TOKEN_OF_OTHERS);
}

/** The text of a file; for what is not base64, the data itself, which is longer. */
function decode(data: string): string {
  const bytes = decodeBytes(data);
  return bytes === undefined
    ? data
    : new TextDecoder().decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0)));
}

/** Each byte as one character. */
function decodeBytes(data: string): string | undefined {
  try {
    return atob(data);
  } catch {
    return undefined;
  }
}

/** At least 1. Pages that a PDF keeps in compressed objects are not seen. */
function countPages(data: string): number {
  return Math.max(1, decodeBytes(data)?.match(/\/Type ?\/Page\b/g)?.length ?? 0);
}
