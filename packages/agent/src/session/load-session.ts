/** Loads the conversation of a session log, ready to be continued. */
import { readFile } from "node:fs/promises";
import { type LoadedSession, type LoadSessionOptions, restoreSession } from "./restore-session.js";
import { parseLog } from "./session-lines.js";

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
