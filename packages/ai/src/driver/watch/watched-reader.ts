/** Reads a body and lets an observer see its pieces. */
import type { ChunkReader } from "../../transport/index.js";

type Reading = ReturnType<ChunkReader["read"]>;

/** Sees what becomes of a body. */
export interface BodyObserver {
  keep(piece: Uint8Array | string): void;
  /** The body was read to its end, or the rest is not read. */
  end(): void;
  fail(error: unknown): void;
}

/** Returns the promises of the body itself, so no piece arrives later than it would unobserved. */
export class WatchedReader implements ChunkReader {
  readonly #body: ChunkReader;
  readonly #observer: BodyObserver;
  readonly #onResult = ({ done, value }: Awaited<Reading>): void => {
    if (value !== undefined) this.#observer.keep(value);
    if (done) this.#observer.end();
  };
  readonly #onError = (error: unknown): void => this.#observer.fail(error);

  constructor(body: ChunkReader, observer: BodyObserver) {
    this.#body = body;
    this.#observer = observer;
  }

  read(): Reading {
    try {
      const reading = this.#body.read();
      // This comes before whatever the caller attaches, and it cannot reject.
      reading.then(this.#onResult, this.#onError);
      return reading;
    } catch (error) {
      // Only a reader of an application throws instead of returning a promise.
      this.#observer.fail(error);
      throw error;
    }
  }

  cancel(reason?: unknown): Promise<void> {
    this.#observer.end();
    return this.#body.cancel(reason);
  }
}
