/** A session that is open for writing, wherever it is stored. */
import type { SessionLines } from "./session-lines.js";

export interface OpenSession {
  /** Whether nothing was written to it yet, not even its header. */
  readonly isNew: boolean;
  /** What it holds. Called before the first `append`. */
  read(): Promise<SessionLines>;
  /** Rejects when the lines could not be written; the next call writes them first. */
  append(lines: readonly string[]): Promise<void>;
  /** Resolves when every line is written. */
  flush(): Promise<void>;
  /** Lets other writers have the session. */
  release(): Promise<void>;
}
