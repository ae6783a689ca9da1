/** Caches the parts of runs that were read again most recently. */
import type { RunPart } from "./run.js";

/** The most bytes of all cached parts, measured in their sources. */
const MAX_BYTES = 16 * 1024 * 1024;

interface KeptPart {
  part: Promise<RunPart>;
  /** Its bytes in the source; 0 while it is being loaded. */
  size: number;
}

export class PartCache {
  readonly #max: number;
  /** By their keys; the one that was used most recently comes last. */
  readonly #parts = new Map<object, KeptPart>();
  #total = 0;

  constructor(maxBytes: number = MAX_BYTES) {
    this.#max = maxBytes;
  }

  /** The bytes of all parts. */
  get total(): number {
    return this.#total;
  }

  /** Returns a cached part, or loads it. Concurrent calls share one load. A failed load is not cached. */
  get(key: object, load: () => Promise<{ part: RunPart; size: number }>): Promise<RunPart> {
    const known = this.#parts.get(key);
    this.#parts.delete(key);
    if (known) {
      this.#parts.set(key, known);
      return known.part;
    }
    const kept: KeptPart = { part: load().then(({ part, size }) => this.#keep(key, kept, part, size)), size: 0 };
    kept.part.catch(() => {
      if (this.#parts.get(key) === kept) this.#parts.delete(key);
    });
    this.#parts.set(key, kept);
    return kept.part;
  }

  /** Counts a loaded part, unless it was evicted while it was being loaded. */
  #keep(key: object, kept: KeptPart, part: RunPart, size: number): RunPart {
    if (this.#parts.get(key) !== kept) return part;
    kept.size = size;
    this.#total += size;
    for (const [oldest, { size: bytes }] of this.#parts) {
      if (this.#total <= this.#max) break;
      this.#parts.delete(oldest);
      this.#total -= bytes;
    }
    return part;
  }
}
