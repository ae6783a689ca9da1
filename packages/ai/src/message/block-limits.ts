/** How much one message may hold. */
import { ProtocolError } from "../errors.js";

/** Far more than a model sends. A server could otherwise let its client assemble blocks without end. */
const MAX_BLOCKS = 25_000;
/** Of citations and diagnostics together. */
const MAX_NOTES = 2000;

export class BlockLimits {
  readonly #maxBlocks: number;
  readonly #maxNotes: number;
  /** The number of citations and diagnostics. */
  #notes = 0;

  constructor(maxBlocks: number = MAX_BLOCKS) {
    this.#maxBlocks = maxBlocks;
    this.#maxNotes = Math.min(maxBlocks, MAX_NOTES);
  }

  /** @throws ProtocolError when a further block would be one too many */
  checkBlocks(count: number): void {
    if (count >= this.#maxBlocks) throw tooMany(this.#maxBlocks, "blocks");
  }

  /** @throws ProtocolError when a further citation or diagnostic is one too many */
  countNote(): void {
    if (++this.#notes > this.#maxNotes) throw tooMany(this.#maxNotes, "citations and diagnostics");
  }
}

/** Not retryable: a second response would be as long. */
function tooMany(most: number, what: string): ProtocolError {
  return new ProtocolError(`The response has more than ${most} ${what}`, { retryable: false });
}
