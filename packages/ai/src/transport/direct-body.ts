/** The body of a response as the dispatcher delivers it, with back pressure. */
import type { ChunkReader } from "./wire-request.js";

/** The number of unread bytes at which the socket pauses. */
const HIGH_WATER = 64 * 1024;

type Result = Awaited<ReturnType<ChunkReader["read"]>>;

interface Source {
  /** Continues a paused socket. */
  resume(): void;
  /** Closes the connection. */
  cancel(reason: unknown): void;
}

/** A queue of chunks with one reader. */
export class DirectBody implements ChunkReader {
  readonly #source: Source;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #paused = false;
  #ended = false;
  #failure: { error: unknown } | undefined;
  #waiting: PromiseWithResolvers<Result> | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Returns false if the source must pause. */
  push(chunk: Uint8Array): boolean {
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = undefined;
      waiting.resolve({ done: false, value: chunk });
      return true;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#paused = this.#bytes >= HIGH_WATER;
    return !this.#paused;
  }

  end(): void {
    this.#ended = true;
    this.#waiting?.resolve({ done: true });
  }

  fail(error: unknown): void {
    if (this.#ended || this.#failure) return;
    this.#failure = { error };
    this.#waiting?.reject(error);
  }

  async read(): Promise<Result> {
    const chunk = this.#take();
    if (chunk) return { done: false, value: chunk };
    if (this.#failure) throw this.#failure.error;
    if (this.#ended) return { done: true };
    this.#waiting = Promise.withResolvers<Result>();
    return this.#waiting.promise;
  }

  async cancel(reason?: unknown): Promise<void> {
    if (this.#ended || this.#failure) return;
    this.#chunks = [];
    this.#ended = true;
    this.#waiting?.resolve({ done: true });
    this.#source.cancel(reason);
  }

  #take(): Uint8Array | undefined {
    // A body has few chunks in its queue: the socket pauses.
    const chunk = this.#chunks.shift();
    if (!chunk) return undefined;
    this.#bytes -= chunk.length;
    if (this.#paused && this.#bytes < HIGH_WATER) {
      this.#paused = false;
      this.#source.resume();
    }
    return chunk;
  }
}
