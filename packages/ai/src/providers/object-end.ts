const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]); // { [
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]); // } ]

/**
 * Finds where the first object of a JSON text ends that arrives in pieces. Only brackets and strings count, so a text with
 * other faults still ends. Each piece is read once.
 */
export class ObjectEnd {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #begun = false;
  /** Whether the object has ended. */
  reached = false;

  /** Whether text has begun and the object has not ended. */
  get isPartial(): boolean {
    return this.#begun && !this.reached;
  }

  /** The text was given as a value, so it is whole. */
  reach(): void {
    this.reached = true;
  }

  read(piece: string): void {
    this.#begun ||= piece.trim() !== "";
    for (let at = 0; at < piece.length && !this.reached; at++) this.#step(piece.charCodeAt(at));
  }

  #step(code: number): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (code === BACKSLASH) this.#escaped = true;
      else if (code === QUOTE) this.#inString = false;
    } else if (code === QUOTE) this.#inString = true;
    else if (OPENING.has(code)) this.#depth++;
    else if (CLOSING.has(code)) this.reached = --this.#depth <= 0;
  }
}
