/** A session that is open for writing, wherever it is stored. */
import type { SessionLines } from "./session-lines.js";

export interface OpenSession {
  /** Whether the session is empty, without even a header. */
  readonly isNew: boolean;
  /** Reads the session. Called before the first `append`. */
  read(): Promise<SessionLines>;
  /** Rejects when the lines could not be written; the next call writes them first. */
  append(lines: readonly string[]): Promise<void>;
  /** Resolves when every line is written. */
  flush(): Promise<void>;
  /** Releases the session for other writers. */
  release(): Promise<void>;
}

/** Adds the number of stored lines to `progress.written`. If it throws, the remaining lines stay in the queue. */
export type WriteLines = (lines: readonly string[], progress: { written: number }) => Promise<void>;

/** Writes lines in order, one batch at a time. A failed batch is retried with the next one. */
export class LineQueue {
  readonly #write: WriteLines;
  /** Lines that are not written yet: queued, or left over from a write that failed. */
  #waiting: string[] = [];
  /** The last write. Writes run one after another, even if the agent does not wait for them. */
  #writing: Promise<void> = Promise.resolve();

  constructor(write: WriteLines) {
    this.#write = write;
  }

  /** Rejects when the lines could not be written; the next call writes them first. */
  append(lines: readonly string[]): Promise<void> {
    for (const line of lines) this.#waiting.push(line);
    return this.flush();
  }

  /** Resolves when every line is written. */
  flush(): Promise<void> {
    const written = this.#writing.then(() => this.#writeWaiting());
    // The caller gets the error. Later writes are still tried.
    this.#writing = written.catch(() => {});
    return written;
  }

  async #writeWaiting(): Promise<void> {
    const lines = this.#waiting;
    if (lines.length === 0) return;
    this.#waiting = [];
    const progress = { written: 0 };
    try {
      await this.#write(lines, progress);
    } finally {
      if (progress.written < lines.length) this.#waiting = lines.slice(progress.written).concat(this.#waiting);
    }
  }
}
