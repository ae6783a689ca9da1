/** Joins text blocks for citations whose offsets refer to the whole text of a response. */
import type { BlockKey, MessageSink } from "../message/index.js";
import type { Citation } from "../types/message.js";

/** A part of the text, in UTF-16 units. */
export interface TextSpan {
  start: number;
  /** Exclusive. */
  end: number;
}

/** A block and its position in the whole text. */
interface CitedBlock extends TextSpan {
  key: BlockKey;
}

export class CitedBlocks {
  /** The whole text. */
  readonly text: string;
  readonly #blocks: CitedBlock[] = [];

  /** @param keys the text blocks, in order */
  constructor(keys: readonly BlockKey[], sink: MessageSink) {
    let text = "";
    for (const key of keys) {
      const start = text.length;
      text += sink.textOf(key);
      this.#blocks.push({ key, start, end: text.length });
    }
    this.text = text;
  }

  /** Adds the citation to each block that the span overlaps or, without a usable span, to the last block. */
  cite(span: TextSpan | undefined, citation: Citation, sink: MessageSink): void {
    if (!span || span.start >= span.end || span.start >= this.text.length) {
      const last = this.#blocks.at(-1);
      if (last) sink.cite(last.key, citation);
      return;
    }
    for (let index = this.#indexAt(span.start); index < this.#blocks.length; index++) {
      const block = this.#blocks[index];
      if (!block || block.start >= span.end) return;
      const start = Math.max(span.start, block.start) - block.start;
      const end = Math.min(span.end, block.end) - block.start;
      if (start < end) sink.cite(block.key, { ...citation, start, end });
    }
  }

  /** The index of the block that holds the offset. */
  #indexAt(offset: number): number {
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
