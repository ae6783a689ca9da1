/** A session that is open for writing, wherever it is stored, and its loss to another writer. */
import { type SessionLines, SessionLogError } from "./session-lines.js";

export interface OpenSession {
  /** Whether the session is empty, without even a header. */
  readonly isNew: boolean;
  /** Why another writer may have the session now. */
  readonly loss: SessionLoss;
  /** Reads the session. Called before the first `append`. */
  read(): Promise<SessionLines>;
  /** Rejects when the lines could not be written; the next call writes them first. */
  append(lines: readonly string[]): Promise<void>;
  /** Resolves when every line is written. */
  flush(): Promise<void>;
  /**
   * Rejects if another writer may have the session by now, although none is known. Absent where a writer loses its session only
   * to one that says so. Returns a promise only if there is something to wait for.
   */
  assertHeld?(): Promise<void> | undefined;
  /** Releases the session for other writers. */
  release(): Promise<void>;
}

/** The loss of a session: it is noted once, and told once. From then on nothing is written. */
export class SessionLoss {
  readonly #onLost: (error: SessionLogError) => void;
  #error: SessionLogError | undefined;

  constructor(onLost: (error: SessionLogError) => void = () => {}) {
    this.#onLost = onLost;
  }

  /** Why the session is lost; undefined for one that is not. */
  get error(): SessionLogError | undefined {
    return this.#error;
  }

  note(error: SessionLogError): void {
    if (this.#error) return;
    this.#error = error;
    this.#onLost(error);
  }
}

/**
 * Adds the number of stored lines to `progress.written`. If it throws, the remaining lines stay in the queue; a
 * `SessionLogError` says that the session is lost.
 */
type WriteLines = (lines: readonly string[], progress: { written: number }) => Promise<void>;

/** Writes lines in order, one batch at a time. A failed batch is retried with the next one. */
export class LineQueue {
  readonly #write: WriteLines;
  readonly #loss: SessionLoss;
  /** Lines that are not written yet: queued, or left over from a write that failed. */
  #waiting: string[] = [];
  /** The last write. Writes run one after another, even if the agent does not wait for them. */
  #writing: Promise<void> = Promise.resolve();

  constructor(write: WriteLines, loss: SessionLoss = new SessionLoss()) {
    this.#write = write;
    this.#loss = loss;
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
    if (this.#loss.error) throw this.#loss.error;
    this.#waiting = [];
    const progress = { written: 0 };
    try {
      await this.#write(lines, progress);
    } catch (error) {
      if (error instanceof SessionLogError) this.#loss.note(error);
      throw error;
    } finally {
      if (progress.written < lines.length) this.#waiting = lines.slice(progress.written).concat(this.#waiting);
    }
  }
}
