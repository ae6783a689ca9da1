/** Logs an agent to a file. */
import { type LoggedAgent, logAgent, type SessionLog } from "./log-agent.js";
import { openLogFile } from "./log-file.js";

/** How a log is written. */
export interface SessionLogOptions {
  /** Wait after each line until it is on the disk, so that it survives a crash of the machine too. Default false. */
  fsync?: boolean;
  /** Reject an existing log with a damaged line. Default false: continue it; `loadSession` skips such lines. */
  strict?: boolean;
  /** Unix time in milliseconds. Default `Date.now`. */
  now?: () => number;
}

/**
 * Logs an agent: one line for each finished message and for the beginning and end of each run. The agent waits for each
 * line, so the file contains each message before the run goes on. A failed write is an error of the listener
 * (`onListenerError`); the run goes on, and the lines are written with the next ones, once writing works again.
 *
 * An existing log is continued. Messages that the agent holds and the log does not are written first, and so is a
 * conversation that was replaced (`reset()`, assigned messages) when the next run begins. A value that JSON cannot
 * represent is replaced, with a note in the line.
 *
 * A new file is readable by its owner only (mode 600). While the log is open, `<file>.lock` keeps other writers away.
 *
 * @example
 * const { messages } = await loadSession("chat.jsonl");
 * const agent = new Agent({ initialState: { model, messages } });
 * const log = await createSessionLog(agent, "chat.jsonl");
 *
 * @throws SessionLogError when the file is not a session log (it stays as it is) or another writer has it open
 */
export async function createSessionLog(
  agent: LoggedAgent,
  file: string | URL,
  { fsync = false, strict = false, now = Date.now }: SessionLogOptions = {},
): Promise<SessionLog> {
  return logAgent(agent, await openLogFile(file, { fsync, strict }), { now });
}
