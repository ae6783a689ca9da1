/**
 * Stores thought signatures with the text that they sign. Google signs single parts of a stream, often an empty one at
 * the end, and expects each part back unchanged: signed and unsigned parts must not be merged (ai.google.dev, "Thought
 * signatures", 2026-11).
 */
import { isRecord } from "../../utils/is-object.js";
import { tryParseJson } from "../../utils/read-text.js";

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
export function writeSignedSpans(spans: readonly SignedSpan[], length: number): string | undefined {
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
