/**
 * The text of a response as Google's citations count it: all text parts together, in UTF-8 bytes
 * (ai.google.dev, "GroundingSupport: Segment", 2026-11).
 */
import type { BlockKey, MessageSink } from "../../assemble/message-sink.js";
import type { Citation } from "../../types/provider-content.js";
import { isText } from "../../utils/is-text.js";

/** A part of the text, in bytes. */
export interface WireSegment {
  startIndex?: unknown;
  endIndex?: unknown;
  /** The words between the two. */
  text?: unknown;
}

/** A part of the text, in UTF-16 units. */
interface Span {
  start: number;
  end: number;
}

/** One block of the text and where it stands in the whole. */
interface CitedBlock extends Span {
  key: BlockKey;
}

/** Most segments that are searched for by their words. Their offsets are wrong, and each search reads the whole text. */
const MOST_SEARCHES = 200;

export class CitedText {
  readonly #blocks: CitedBlock[] = [];
  readonly #text: string;
  readonly #offsets: ReadonlyMap<number, number>;
  #searches = 0;

  /** @param segments all segments that {@link cite} will be called with */
  constructor(keys: readonly BlockKey[], segments: readonly WireSegment[], sink: MessageSink) {
    let text = "";
    for (const key of keys) {
      const start = text.length;
      text += sink.textOf(key);
      this.#blocks.push({ key, start, end: text.length });
    }
    this.#text = text;
    this.#offsets = utf16Offsets(text, segments.flatMap(bytesOf));
  }

  /** Adds the citation to each block that the segment touches; without a usable segment to the last block. */
  cite(segment: WireSegment | undefined, citation: Citation, sink: MessageSink): void {
    const span = segment && this.#locate(segment);
    if (!span) {
      const last = this.#blocks.at(-1);
      if (last) sink.cite(last.key, citation);
      return;
    }
    for (let index = this.#blockAt(span.start); index < this.#blocks.length; index++) {
      const block = this.#blocks[index];
      if (!block || block.start >= span.end) return;
      const start = Math.max(span.start, block.start) - block.start;
      const end = Math.min(span.end, block.end) - block.start;
      if (start < end) sink.cite(block.key, { ...citation, start, end });
    }
  }

  #locate(segment: WireSegment): Span | undefined {
    const [from = 0, to] = bytesOf(segment);
    const start = this.#offsets.get(from);
    const end = to === undefined ? undefined : this.#offsets.get(to);
    const span = start !== undefined && end !== undefined && start < end ? { start, end } : undefined;
    if (!isText(segment.text) || (span && this.#text.slice(span.start, span.end) === segment.text)) return span;
    return this.#search(segment.text) ?? span;
  }

  #search(words: string): Span | undefined {
    if (this.#searches++ >= MOST_SEARCHES) return undefined;
    const start = this.#text.indexOf(words);
    return start === -1 ? undefined : { start, end: start + words.length };
  }

  /** The index of the block that holds the offset. */
  #blockAt(offset: number): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#blocks[middle]?.end ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The start, which the wire leaves out where it is 0, and the end. */
function bytesOf({ startIndex, endIndex }: WireSegment): number[] {
  const start = typeof startIndex === "number" ? startIndex : 0;
  return typeof endIndex === "number" ? [start, endIndex] : [start];
}

/** The UTF-16 offset of each offset in bytes. One that lies inside a character counts as its end. */
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
