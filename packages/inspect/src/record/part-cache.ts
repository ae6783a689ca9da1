/** Keeps the parts of runs that were read again most recently. */
import type { RunPart } from "./run.js";

/** Bytes that the parts have in their sources. */
const MAX_BYTES = 16 * 1024 * 1024;

export class PartCache {
  readonly #max: number;
  /** By what identifies them, the one that was used last at the end. */
  readonly #parts = new Map<object, { part: Promise<RunPart>; size: number }>();
  #total = 0;

  constructor(maxBytes: number = MAX_BYTES) {
    this.#max = maxBytes;
  }

  /** The bytes of all parts. */
  get total(): number {
    return this.#total;
  }

  /** Returns a part that is kept, or loads it. A part that could not be loaded is not kept. */
  get(key: object, load: () => Promise<{ part: RunPart; size: number }>): Promise<RunPart> {
    const known = this.#parts.get(key);
    this.#parts.delete(key);
    if (known) {
      this.#parts.set(key, known);
      return known.part;
    }
    const kept = { part: load().then(({ part, size }) => this.#keep(key, part, size)), size: 0 };
    kept.part.catch(() => this.#parts.delete(key));
    this.#parts.set(key, kept);
    return kept.part;
  }

  #keep(key: object, part: RunPart, size: number): RunPart {
    const kept = this.#parts.get(key);
    if (kept) kept.size = size;
    this.#total += kept ? size : 0;
    for (const [oldest, { size: bytes }] of this.#parts) {
      if (this.#total <= this.#max) break;
      this.#parts.delete(oldest);
      this.#total -= bytes;
    }
    return part;
  }
}
