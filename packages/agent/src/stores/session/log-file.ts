/** A session in a file: opens it for writing, and loads it. */
import { open, readFile, realpath } from "node:fs/promises";
import { LineFile, lockFile } from "./line-file.js";
import { LineQueue, type OpenSession } from "./open-session.js";
import { type LoadedSession, type LoadSessionOptions, restoreSession } from "./restore-session.js";
import { assertUndamaged, parseLog, SessionLogError } from "./session-lines.js";
import { type LogOptions, openLog, type SessionLog } from "./session-log.js";

/** How a file is written. */
export interface SessionLogOptions extends LogOptions {
  /** Wait after each line until it is on the disk, so that it survives a crash of the machine too. Default false. */
  fsync?: boolean;
}

/**
 * Opens a log of a conversation, for the `middleware` of an agent or of the functions of the loop: one line for each finished
 * message and for the beginning and end of each run. The run waits for each line, so the file contains each message before the
 * run goes on. A failed write is reported to `onError`; the run goes on, and the lines are written with the next ones, once
 * writing works again.
 *
 * An existing log is continued. At the beginning of a run, messages that the conversation has and the log does not are written
 * first, and so is a conversation that was replaced (`reset()`, assigned messages). What a durable run repeats from an earlier
 * process is not written again. A value that JSON cannot represent is replaced, with a note in the line. Agents that
 * `agentTool` runs are not logged; give them logs of their own.
 *
 * A new file is readable by its owner only (mode 600). While the log is open, `<file>.lock` keeps other writers away.
 *
 * @example
 * const { messages } = await loadSession("chat.jsonl");
 * const log = await createSessionLog("chat.jsonl");
 * const agent = new Agent({ initialState: { model, messages }, middleware: [log] });
 *
 * @throws SessionLogError when the file is not a session log (it stays as it is) or another writer has it open
 */
export async function createSessionLog(file: string | URL, options: SessionLogOptions = {}): Promise<SessionLog> {
  const { fsync = false, strict = false } = options;
  return openLog(await openLogFile(file, { fsync, strict }), options);
}

/**
 * Reads a session log. Damaged lines are skipped, tool calls without a result get an error result, results without a call
 * are dropped after damage, and failed responses at the end are removed, so that the conversation can be continued.
 *
 * @throws SessionLogError when the file is not a session log, and with `strict` when a line is damaged; the error of the
 * file system when it cannot be read
 */
export async function loadSession(file: string | URL, options: LoadSessionOptions = {}): Promise<LoadedSession> {
  return restoreSession(parseLog(await readFile(file)), options);
}

/**
 * Locks the file and cuts off a torn last line. From then on the file is only appended to.
 *
 * @throws SessionLogError when the file is not a session log (it stays as it is) or another writer has it open
 */
export async function openLogFile(
  file: string | URL,
  { fsync, strict }: { fsync: boolean; strict: boolean },
): Promise<OpenSession> {
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
