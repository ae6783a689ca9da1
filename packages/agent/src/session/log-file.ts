/** Opens the file of a session for writing. */
import { open, realpath } from "node:fs/promises";
import { LineFile } from "./line-file.js";
import { LineQueue } from "./line-queue.js";
import type { OpenSession } from "./open-session.js";
import { assertUndamaged, parseLog, SessionLogError } from "./session-lines.js";
import { lockFile } from "./session-lock.js";

export interface LogFileOptions {
  fsync: boolean;
  /** Reject a log with a damaged line. */
  strict: boolean;
}

/**
 * Locks the file and cuts off a torn last line. From then on the file is only appended to.
 *
 * @throws SessionLogError when the file is not a session log (it stays as it is) or another writer has it open
 */
export async function openLogFile(file: string | URL, { fsync, strict }: LogFileOptions): Promise<OpenSession> {
  const handle = await open(file, "a+", 0o600);
  let unlock: (() => Promise<void>) | undefined;
  try {
    unlock = await lockFile(await realpath(file));
    const release = unlock;
    const log = parseLog(await handle.readFile());
    if (strict) assertUndamaged(log);
    const isNew = log.lines.length === 0;
    if (!(isNew || log.hasHeader)) {
      throw new SessionLogError(
        "Line 1 of the session log is damaged. Load it with loadSession, and log to another file",
      );
    }
    if (log.tornBytes > 0) await handle.truncate(log.wholeBytes);
    const lines = new LineFile(handle, { size: log.wholeBytes, isOpen: log.isOpen, fsync });
    const queue = new LineQueue((batch, progress) => lines.write(batch, progress));
    return {
      isNew,
      read: async () => log,
      append: (batch) => queue.append(batch),
      flush: () => queue.flush(),
      release: () => handle.close().finally(release),
    };
  } catch (error) {
    await handle.close();
    await unlock?.();
    throw error;
  }
}
