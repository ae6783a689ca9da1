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
