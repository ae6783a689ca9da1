/**
 * The text of a response as Google's citations count it: all text parts together, in UTF-8 bytes (ai.google.dev,
 * "GroundingSupport: Segment", 2026-11).
 */
import type { BlockKey, MessageSink } from "../../message/index.js";
import type { Citation } from "../../types/message.js";
import { isText } from "../../utils/read-text.js";
import { CitedBlocks, type TextSpan } from "../cited-blocks.js";

/** A part of the text, in bytes. */
export interface WireSegment {
  startIndex?: unknown;
  endIndex?: unknown;
  /** The text between the two offsets. */
  text?: unknown;
}

/** Limits the searches for segments whose offsets are wrong: each search scans the whole text. */
const MAX_SEARCHES = 200;

export class CitedText {
  readonly #blocks: CitedBlocks;
  readonly #offsets: ReadonlyMap<number, number>;
  #searches = 0;

  /** @param segments all segments that `cite` will be called with */
  constructor(keys: readonly BlockKey[], segments: readonly WireSegment[], sink: MessageSink) {
    this.#blocks = new CitedBlocks(keys, sink);
    this.#offsets = utf16Offsets(this.#blocks.text, segments.flatMap(bytesOf));
  }

  /** Adds the citation to each block that the segment overlaps or, without a usable segment, to the last block. */
  cite(segment: WireSegment | undefined, citation: Citation, sink: MessageSink): void {
    this.#blocks.cite(segment && this.#locate(segment), citation, sink);
  }

  #locate(segment: WireSegment): TextSpan | undefined {
    const [from = 0, to] = bytesOf(segment);
    const start = this.#offsets.get(from);
    const end = to === undefined ? undefined : this.#offsets.get(to);
    const span = start !== undefined && end !== undefined && start < end ? { start, end } : undefined;
    if (!isText(segment.text) || (span && this.#blocks.text.slice(span.start, span.end) === segment.text)) return span;
    return this.#search(segment.text) ?? span;
  }

  #search(words: string): TextSpan | undefined {
    if (this.#searches++ >= MAX_SEARCHES) return undefined;
    const start = this.#blocks.text.indexOf(words);
    return start === -1 ? undefined : { start, end: start + words.length };
  }
}

/** The byte offsets of a segment. The wire omits a start of 0. */
function bytesOf({ startIndex, endIndex }: WireSegment): number[] {
  const start = typeof startIndex === "number" ? startIndex : 0;
  return typeof endIndex === "number" ? [start, endIndex] : [start];
}

/** Maps byte offsets to UTF-16 offsets. An offset inside a character maps to the end of that character. */
export function utf16Offsets(text: string, byteOffsets: readonly number[]): Map<number, number> {
  const found = new Map<number, number>();
  const wanted = [...byteOffsets].sort((a, b) => a - b);
  let next = 0;
  let bytes = 0;
  for (let index = 0; next < wanted.length; ) {
    while (next < wanted.length && (wanted[next] ?? 0) <= bytes) found.set(wanted[next++] ?? 0, index);
    const code = text.codePointAt(index);
    if (code === undefined) break;
    bytes += utf8Length(code);
    index += code > 0xffff ? 2 : 1;
  }
  return found;
}

function utf8Length(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code > 0xffff ? 4 : 3;
}
